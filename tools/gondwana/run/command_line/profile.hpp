// The profiling library, preloaded into programs that are not linked with it.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Adds LD_PRELOAD to a program's additional environment, and keeps libraries that are already
// preloaded.
Result<void> preload_profile(std::vector<std::string>& environment);

// Adds it to all programs of a job with a page or a trace. For a page the ranks write its data; for
// a trace they keep their events.
Result<void> preload_for_job(Job& job);

}  // namespace gondwana::launch
