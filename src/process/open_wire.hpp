// The way to ranks of other nodes, where the job has some.
#pragma once

#include <memory>

#include "bootstrap/join.hpp"
#include "core/options.hpp"
#include "core/result.hpp"
#include "memory/node_memory.hpp"
#include "transport/wire.hpp"

namespace gondwana {

// Waits until the agents of all nodes have said how to reach them. Empty for a job on one node.
Result<Wire> open_wire(const Membership& self, const std::shared_ptr<NodeMemory>& memory,
                       const Options& options);

}  // namespace gondwana
