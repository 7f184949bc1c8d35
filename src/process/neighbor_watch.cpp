#include "process/neighbor_watch.hpp"

#include "core/machine.hpp"
#include "memory/rank_report.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t check_interval_ns = 350'000'000;

}  // namespace

std::optional<Error> NeighborWatch::look() {
  const std::unique_lock turn(turn_, std::try_to_lock);
  const std::uint64_t now = monotonic_ns();
  if (!turn || now < next_ns_) return std::nullopt;
  next_ns_ = now + check_interval_ns;
  if (std::optional<Error> loss = check_for_losses()) return loss;
  return look_for_deadlock();
}

std::optional<Error> NeighborWatch::check_for_losses() const {
  for (const Rank rank : memory_->roster().here()) {
    if (rank == me_) continue;
    if (const auto loss = find_loss(memory_->page(rank), index(rank)))
      return Error{Errc::peer_lost, *loss};
  }
  return std::nullopt;
}

// The first rank that is part of the job checks for all.
std::optional<Error> NeighborWatch::look_for_deadlock() {
  if (memory_->header().ending.load(std::memory_order_relaxed) == 0) return std::nullopt;
  deadlock_.suspect();
  if (!deadlock_.is_due()) return std::nullopt;
  const NodeSnapshot look = snapshot_of(*memory_);
  const bool is_mine = !look.part.empty() && look.part.front().rank == index(me_);
  if (!is_mine) deadlock_.check_later();
  if (!is_mine || !look.any_leaves() || !deadlock_.holds(look.part)) return std::nullopt;
  return Error{Errc::peer_lost, describe(look) + no_rank_can_continue()};
}

}  // namespace gondwana
