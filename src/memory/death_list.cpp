#include "memory/death_list.hpp"

#include "memory/layout.hpp"

namespace gondwana {

void add_death(NodeHeader& node, std::uint32_t ranks, const DeadRank& dead, DeathKind how) {
  auto* const control = reinterpret_cast<std::byte*>(&node);
  const std::uint32_t number = node.deaths.load(std::memory_order_relaxed) + 1;
  auto& place = shared_at<DeathPlace>(control, ControlLayout::death(Rank(dead.rank)));
  place.incarnation.store(dead.incarnation, std::memory_order_relaxed);
  place.has_left.store(how == DeathKind::leave ? 1 : 0, std::memory_order_relaxed);
  node.growth.changes.fetch_add(1, std::memory_order_relaxed);
  place.number.store(number, std::memory_order_relaxed);
  // Pairs with DeathList::size(). seq_cst, so that a rank that falls asleep sees it or is woken.
  node.deaths.store(number, std::memory_order_seq_cst);
  const ControlLayout layout(ranks);
  for (std::uint32_t slot = 0; slot < ranks; ++slot)
    shared_at<ControlPage>(control, layout.page(slot)).sync_bell.ring();
}

}  // namespace gondwana
