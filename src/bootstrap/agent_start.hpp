// Starts the node agent without a guardian: the first rank of a node does it under a foreign
// launcher.
#pragma once

#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "memory/node_contact.hpp"

namespace gondwana {

struct StartedAgent {
  NodeContact contact;
  // Every rank of the node keeps a copy, close-on-exec. The agent ends when the last copy is
  // closed, however the ranks end.
  UniqueFd lifeline;
};

// The agent maps the memory and serves requests. It is not our child, and holds no output, socket
// or process group of the launcher.
Result<StartedAgent> start_agent(const JobMemory& memory, const Deadline& deadline);

}  // namespace gondwana
