// Finds ranks that poll: they call the library repeatedly without waiting in it.
#pragma once

#include <vector>

#include "core/function_ref.hpp"
#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Samples the stacks of the ranks of `places` several times. Sets RankSeen::polls for ranks found
// in the same call, and RankSeen::loop for ranks found at the same few instructions of the program.
// Returns whether a rank polls. Each sample stops a rank for some milliseconds. No sample begins
// once `continues` returns false.
bool find_polls(hosts::JobView& view, jobs::JobSeen& job, const std::vector<stacks::Place>& places,
                FunctionRef<bool()> continues);

// The library call that the program is in: "shmem_long_test", "the library" if its name is unknown,
// or empty if there is none.
std::string call_of_library(const stacks::ThreadStack& thread);

}  // namespace gondwana::why
