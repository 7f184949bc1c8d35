// The files of a job: programs and folders.
#pragma once

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Finds what would otherwise fail in the middle of the start: the file of each program, the
// folders. Makes the folder of --output.
Result<void> find_files(Job& job);

}  // namespace gondwana::launch
