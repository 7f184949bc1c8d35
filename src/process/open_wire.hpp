// The connection to ranks of other nodes.
#pragma once

#include <memory>

#include "bootstrap/join.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "remote/client/client.hpp"

namespace gondwana {

// Waits until the agents of all nodes have published their addresses. Null for a job on one node.
// Opened once in a process: its address and message numbers continue from one engine to the next.
Result<std::shared_ptr<RemoteClient>> open_wire(const Membership& self,
                                                const std::shared_ptr<NodeMemory>& memory,
                                                const Options& options);

}  // namespace gondwana
