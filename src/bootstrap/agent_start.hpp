// Starts the node agent where no guardian does it: the first rank of a node, under a launcher of
// others.
#pragma once

#include "bootstrap/deadline.hpp"
#include "bootstrap/job_memory.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "memory/node_contact.hpp"

namespace gondwana {

struct StartedAgent {
  NodeContact contact;
  // Every rank of the node keeps a copy, close-on-exec. When the last is closed the agent ends,
  // however the ranks did.
  UniqueFd lifeline;
};

// It sees the memory, and serves. It is no child of ours and holds nothing of the launcher's: no
// output, no socket, no process group.
Result<StartedAgent> start_agent(const JobMemory& memory, const Deadline& deadline);

}  // namespace gondwana
