// The values of environment variables for the ranks.
#pragma once

#include <string_view>

#include "run/job.hpp"

namespace gondwana::launch {

// The value that the ranks of the first program will see, or null.
const char* value_for_ranks(const Job& job, std::string_view name);

}  // namespace gondwana::launch
