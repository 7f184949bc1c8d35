// The profiling library, loaded before a program that need not know of it.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Adds LD_PRELOAD to what a program's environment has on top of ours; keeps what is preloaded
// there.
Result<void> preload_profile(std::vector<std::string>& environment);

// The same for all programs of a job that has a page or a trace. For a page the ranks write what it
// is made of; for a trace they keep their events.
Result<void> preload_for_job(Job& job);

}  // namespace gondwana::launch
