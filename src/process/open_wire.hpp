// The way to ranks of other nodes, where the job has some.
#pragma once

#include <memory>

#include "bootstrap/join.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "remote/client/client.hpp"

namespace gondwana {

// Waits until the agents of all nodes have said how to reach them. Null for a job on one node. To
// be opened once in a process: its address and the numbers of its messages go on from one engine to
// the next.
Result<std::shared_ptr<RemoteClient>> open_wire(const Membership& self,
                                                const std::shared_ptr<NodeMemory>& memory,
                                                const Options& options);

}  // namespace gondwana
