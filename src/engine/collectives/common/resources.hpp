// The resources that all kinds of collectives use.
#pragma once

#include <functional>
#include <string>

#include "core/algorithm.hpp"
#include "engine/collectives/common/rooms.hpp"
#include "engine/rma/rma.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/teams/team.hpp"
#include "engine/wait/waiter.hpp"
#include "memory/node_memory.hpp"
#include "operations/element_type.hpp"

namespace gondwana {

struct CollectiveResources {
  const NodeMemory& memory;
  Rank me;
  Rma& rma;
  RemoteAccess* remote;  // null in a job on one node
  Waiter& waiter;
  Lane& lane;
  const Algorithms& algorithms;
  const SymmetricMemory& symmetric;
  SegmentSpace& segments;
  Rooms& rooms;
  bool has_threads;  // several threads may advance one collective
  // Reports a fatal error. It must not return, because the other members would wait forever.
  std::function<void(CallName, const std::string&)> give_up;

  bool reaches(Rank rank) const { return rank == me || rma.reach().covers(rank); }
  // Whether the updates of this rank arrive without further calls by this rank.
  bool has_told() const { return remote == nullptr || remote->has_told(); }
};

}  // namespace gondwana
