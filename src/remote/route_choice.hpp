// Which route the messages of a job take.
#pragma once

#include <cstdint>

#include "core/options.hpp"

namespace gondwana::ofi {

// Whether the node agents carry the messages of the ranks of a job.
bool goes_through_agents(Route route, std::uint32_t job_ranks);

}  // namespace gondwana::ofi
