// The files of a job: programs and folders.
#pragma once

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Checks what would otherwise fail during the start: the file of each program, and the folders.
// Creates the folder of --output.
Result<void> find_files(Job& job);

}  // namespace gondwana::launch
