// Checks that this host has resources for the ranks of a job before the first rank starts.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// The file descriptors that the guardian needs for the ranks of its host, if they join the job.
std::uint64_t descriptors_for(const Job& job);

// Refuses only jobs that are impossible, assuming that the ranks join. Other processes may still
// take the resources before the ranks have started.
Result<void> check_resources(const Job& job);

}  // namespace gondwana::launch
