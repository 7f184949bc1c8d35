#include "memory/death_list.hpp"

#include "memory/layout.hpp"

namespace gondwana {

void add_death(NodeHeader& node, std::uint32_t ranks, std::uint32_t slot) {
  auto* const control = reinterpret_cast<std::byte*>(&node);
  const auto page = [&](std::uint32_t of) -> ControlPage& {
    return shared_at<ControlPage>(control, ControlLayout(ranks).page(of));
  };
  const std::uint32_t before = node.deaths.load(std::memory_order_relaxed);
  page(slot).death.store(before + 1, std::memory_order_relaxed);
  // Pairs with DeathList::size(). seq_cst, so that a rank that falls asleep sees it or is woken.
  node.deaths.store(before + 1, std::memory_order_seq_cst);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) page(rank).sync_bell.ring();
}

}  // namespace gondwana
