// What collectives of any kind work with.
#pragma once

#include "core/algorithm.hpp"
#include "engine/rma/rma.hpp"
#include "engine/teams/team.hpp"
#include "engine/wait/waiter.hpp"
#include "memory/node_memory.hpp"
#include "operations/combine.hpp"

namespace gondwana {

struct CollectiveResources {
  const NodeMemory& memory;
  Rank me;
  Rma& rma;
  RemoteAccess* remote;  // null in a job on one node
  Waiter& waiter;
  Lane& lane;
  const Algorithms& algorithms;
};

}  // namespace gondwana
