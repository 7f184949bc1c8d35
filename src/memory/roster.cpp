#include "memory/roster.hpp"

namespace gondwana {

bool Roster::knows_all_nodes() const {
  for (std::uint32_t node = 0; node < nodes(); ++node) {
    if (node == share_.node) continue;
    // Pairs with the release in the process that wrote the entry.
    if (nodes_.entry(node).state.load(std::memory_order_acquire) == NodeState::unknown)
      return false;
  }
  return true;
}

NodeRanks Roster::ranks_of(std::uint32_t node) const {
  return node == share_.node ? here() : nodes_.entry(node).info.ranks;
}

// The nodes of the start are numbered in rank order.
Roster::Where Roster::where(Rank rank) const {
  if (is_here(rank)) return {share_.node, slot_of(rank)};
  std::uint32_t node = 0;
  std::uint32_t end = share_.nodes;
  if (const std::uint32_t moved = nodes_.moved_to(rank).load(std::memory_order_relaxed);
      moved > 0) {
    end = std::min(moved, nodes());
    node = end - 1;
  }
  while (end - node > 1) {
    const std::uint32_t middle = node + (end - node) / 2;
    (index(ranks_of(middle).front()) <= index(rank) ? node : end) = middle;
  }
  return {node, ranks_of(node).slot_of(rank)};
}

}  // namespace gondwana
