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
#include "sync/shrink_entry.hpp"

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
  // For teams on several nodes in a job that continues after deaths.
  std::function<void(const ShrinkEntry&)> enter_shrink = {};
  std::function<void(const WorldEntry&)> enter_world = {};

  // A peer is lost. If the job continues without it, the collective is abandoned.
  void lose(CallName call, const std::string& why) const {
    if (const std::uint32_t deaths = waiter.losses().list().size(); deaths != 0)
      throw HopelessWait{deaths};
    give_up(call, why);
  }
  bool reaches(Rank rank) const { return rank == me || rma.reach().covers(rank); }
  // Whether the updates of this rank arrive without further calls by this rank.
  bool has_told() const { return remote == nullptr || remote->has_told(); }
};

}  // namespace gondwana
