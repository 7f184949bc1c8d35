// The ranks that have died in a job that continues (`gondwana run --on-death=continue`), and those
// that have left it, in one order for all nodes. Each node has a copy, whose only writer is its
// guardian. A death is final, and so is a leave.
#pragma once

#include <cstdint>

#include "memory/node_memory.hpp"

namespace gondwana {

// A process of a rank.
struct DeadRank {
  std::uint32_t rank = 0;
  std::uint32_t incarnation = 0;  // how often the rank was replaced before

  friend bool operator==(const DeadRank&, const DeadRank&) = default;
};

enum class DeathKind : std::uint8_t { death, leave };

class DeathList {
 public:
  explicit DeathList(const NodeMemory& memory) : memory_(&memory) {}

  // The number of deaths so far. Their ranks are then visible.
  std::uint32_t size() const {
    // Pairs with add_death().
    return memory_->header().deaths.load(std::memory_order_acquire);
  }
  // The place of a rank in the order of deaths, from 1. 0: it lives.
  std::uint32_t place_of(Rank rank) const {
    return memory_->death(rank).number.load(std::memory_order_relaxed);
  }
  bool has(Rank rank) const { return size() > 0 && place_of(rank) != 0; }
  // Whether this process of the rank has died.
  bool has(const DeadRank& process) const {
    const DeathPlace& last = memory_->death(Rank(process.rank));
    return has(Rank(process.rank)) &&
           process.incarnation <= last.incarnation.load(std::memory_order_relaxed);
  }
  // Whether a rank that this list has has left on purpose.
  bool has_left(Rank rank) const {
    return memory_->death(rank).has_left.load(std::memory_order_relaxed) != 0;
  }
  // Whether any of the deaths after the first `known` is no leave.
  bool has_real_after(std::uint32_t known) const {
    for (std::uint32_t rank = 0; rank < memory_->roster().size(); ++rank)
      if (place_of(Rank(rank)) > known && !has_left(Rank(rank))) return true;
    return false;
  }

 private:
  const NodeMemory* memory_;
};

// Called by the guardian, for each death in order. Wakes the `ranks` ranks of the node. A rank that
// sleeps on program memory wakes within a millisecond by itself.
void add_death(NodeHeader& node, std::uint32_t ranks, const DeadRank& dead,
               DeathKind how = DeathKind::death);

}  // namespace gondwana
