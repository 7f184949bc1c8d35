// What an environment variable will be for the ranks.
#pragma once

#include <string_view>

#include "run/job.hpp"

namespace gondwana::launch {

// A variable as the ranks of the first program have it, or null.
const char* value_for_ranks(const Job& job, std::string_view name);

}  // namespace gondwana::launch
