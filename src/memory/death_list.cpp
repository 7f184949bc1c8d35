#include "memory/death_list.hpp"

#include "memory/layout.hpp"

namespace gondwana {

void add_death(NodeHeader& node, std::uint32_t ranks, const DeadRank& dead, DeathKind how) {
  auto* const control = reinterpret_cast<std::byte*>(&node);
  const Rank rank = Rank(dead.rank);
  const ControlLayout layout(ranks);
  const RosterLog log(
      {&shared_at<RosterEntry>(control, ControlLayout::log()), RosterLog::capacity});
  std::uint32_t number = node.deaths.load(std::memory_order_relaxed) + 1;
  auto& place = shared_at<DeathPlace>(control, ControlLayout::death(rank));
  place.incarnation.store(dead.incarnation, std::memory_order_relaxed);
  place.has_left.store(how == DeathKind::leave ? 1 : 0, std::memory_order_relaxed);
  place.number.store(number, std::memory_order_relaxed);
  log.write(number, rank, RosterChange::death);
  if (how == DeathKind::replaced_death) {
    place.started.store(dead.incarnation + 1, std::memory_order_relaxed);
    // The replacement has entered no update of the world.
    const NodeRanks here(index(node.facts.ranks.front()), ranks);
    if (here.holds(rank))
      shared_at<ControlPage>(control, layout.page(here.slot_of(rank)))
          .world_place.turn.store(0, std::memory_order_relaxed);
    log.write(++number, rank, RosterChange::start);
  }
  node.growth.changes.fetch_add(1, std::memory_order_relaxed);
  // Pairs with DeathList::size(). seq_cst, so that a rank that falls asleep sees it or is woken.
  node.deaths.store(number, std::memory_order_seq_cst);
  for (std::uint32_t slot = 0; slot < ranks; ++slot) {
    auto& page = shared_at<ControlPage>(control, layout.page(slot));
    page.accumulate_locks.break_of(rank);
    page.sync_bell.ring();
  }
}

void add_replacement(NodeHeader& node, std::uint32_t ranks, const DeadRank& process,
                     std::uint32_t there) {
  auto* const control = reinterpret_cast<std::byte*>(&node);
  const ControlLayout layout(ranks);
  auto& place = shared_at<DeathPlace>(control, ControlLayout::death(Rank(process.rank)));
  // Those before it may have died before they ran. Pairs with LateRanks.
  place.has_joined.store(1, std::memory_order_release);
  place.node.store(there + 1, std::memory_order_relaxed);
  // Pairs with has().
  place.running.store(process.incarnation, std::memory_order_release);
  node.growth.changes.fetch_add(1, std::memory_order_seq_cst);
  for (std::uint32_t slot = 0; slot < ranks; ++slot)
    shared_at<ControlPage>(control, layout.page(slot)).sync_bell.ring();
}

bool DeathList::has_any(std::uint32_t ranks) const {
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    if (has(Rank(rank))) return true;
  return false;
}

void DeathList::begin_to_run(Rank rank) const {
  DeathPlace& place = memory_->death(rank);
  // Pairs with has().
  place.running.store(place.started.load(std::memory_order_relaxed), std::memory_order_release);
}

}  // namespace gondwana
