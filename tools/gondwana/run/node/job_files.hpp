// The files of a job: programs and folders.
#pragma once

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Checks before the start that the file of each program and the folders exist. Creates the folder
// of --output.
Result<void> find_files(Job& job);

}  // namespace gondwana::launch
