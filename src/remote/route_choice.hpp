// The route of a job's messages.
#pragma once

#include <cstdint>

#include "core/options.hpp"

namespace gondwana::remote {

// Whether the node agents carry the messages of the ranks of a job.
bool goes_through_agents(RouteOption route, std::uint32_t job_ranks);

}  // namespace gondwana::remote
