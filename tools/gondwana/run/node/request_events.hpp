// Translates the requests of users (link/job_request.hpp) into events of the job on this node.
#pragma once

#include <cstdint>

#include "core/result.hpp"
#include "link/job_request.hpp"
#include "run/node/node_events.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana::launch {

// Fails if the program of new ranks does not exist, or if the job's ranks prevent it.
Result<NodeEvent> event_of(std::uint32_t asker, link::JobRequest request, const WireUp& wire);

}  // namespace gondwana::launch
