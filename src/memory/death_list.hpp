// The ranks of a node that have died in a job that continues (`gondwana run --on-death=continue`),
// in the order in which the guardian, the only writer, has found them. A death is final.
#pragma once

#include <cstdint>

#include "memory/node_memory.hpp"

namespace gondwana {

class DeathList {
 public:
  explicit DeathList(const NodeMemory& memory) : memory_(&memory) {}

  // The number of deaths so far. Their ranks are then visible.
  std::uint32_t size() const {
    // Pairs with add_death().
    return memory_->header().deaths.load(std::memory_order_acquire);
  }
  // The place of a rank in the order of deaths, from 1. 0: it lives, or is on another node.
  std::uint32_t place_of(Rank rank) const {
    if (!memory_->roster().is_here(rank)) return 0;
    return memory_->page(rank).death.load(std::memory_order_relaxed);
  }
  bool has(Rank rank) const { return size() > 0 && place_of(rank) != 0; }

 private:
  const NodeMemory* memory_;
};

// Called by the guardian. Wakes the `ranks` ranks of the node, whose pages follow the header. A
// rank that sleeps on program memory wakes within a millisecond by itself.
void add_death(NodeHeader& node, std::uint32_t ranks, std::uint32_t slot);

}  // namespace gondwana
