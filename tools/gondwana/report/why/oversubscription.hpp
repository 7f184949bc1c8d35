// Hosts where more ranks want to run than there are processors.
#pragma once

#include <string>
#include <vector>

#include "observe/jobs/watch.hpp"

namespace gondwana::why {

// A message for each of these hosts.
std::vector<std::string> find_oversubscribed(const jobs::JobSeen& job);

}  // namespace gondwana::why
