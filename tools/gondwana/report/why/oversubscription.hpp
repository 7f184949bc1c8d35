// Finds hosts with more runnable ranks than processors.
#pragma once

#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"

namespace gondwana::why {

// A message for each of these hosts.
std::vector<std::string> find_oversubscribed(const jobs::JobSeen& job);

}  // namespace gondwana::why
