// Ranks that call the library again and again without waiting in it: they poll for a value.
#pragma once

#include <vector>

#include "core/function_ref.hpp"
#include "observe/hosts/job_view.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/stacks/places.hpp"

namespace gondwana::why {

// Looks at the stacks of the ranks of `places` some times more. Sets RankSeen::polls of those that
// are found in the same call, and RankSeen::loop of those that are found at the same few
// instructions of the program. Returns whether one polls. Each look holds a rank for some
// milliseconds. None begins once `goes_on` says no.
bool find_polls(hosts::JobView& view, jobs::JobSeen& job, const std::vector<stacks::Place>& places,
                FunctionRef<bool()> goes_on);

// The call of the library that the program has made and is in: "shmem_long_test", or "the
// library" where the name is not known; or nothing.
std::string call_of_library(const stacks::ThreadStack& thread);

}  // namespace gondwana::why
