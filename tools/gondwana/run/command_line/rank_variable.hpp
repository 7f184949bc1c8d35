// The values of environment variables for the ranks.
#pragma once

#include "core/variables.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// The environment that the ranks of the first program will see. `job` must outlive it.
Environment environment_of_ranks(const Job& job);

}  // namespace gondwana::launch
