#include "process/neighbor_watch.hpp"

#include "core/machine.hpp"
#include "memory/rank_report.hpp"

namespace gondwana {

std::optional<Error> NeighborWatch::check() {
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn) return std::nullopt;
  NodeSnapshot node;
  for (NeighborEvent event = RankWaits{};;) {
    const NeighborStep step = checks_.handle(event, monotonic_ns());
    if (std::holds_alternative<ContinueWait>(step)) return std::nullopt;
    if (const auto* loss = std::get_if<Error>(&step)) return *loss;
    if (std::holds_alternative<ReportDeadlock>(step))
      return Error{Errc::refused, describe(node) + no_rank_can_continue()};
    event = perform(step, node);
  }
}

NeighborEvent NeighborWatch::perform(const NeighborStep& step, NodeSnapshot& node) const {
  if (std::holds_alternative<CheckLosses>(step)) {
    const bool any_ends = memory_->header().ending.load(std::memory_order_relaxed) != 0;
    return LossesChecked{find_neighbor_loss(), any_ends};
  }
  if (std::holds_alternative<TakeSnapshot>(step)) {
    node = snapshot_of(*memory_);
    const bool is_first = !node.part.empty() && node.part.front().rank == index(me_);
    return SnapshotTaken{is_first, node.any_leaves()};
  }
  return StillnessSought{find_stillness(node.part)};
}

std::optional<std::string> NeighborWatch::find_neighbor_loss() const {
  for (const Rank rank : memory_->roster().here()) {
    if (rank == me_) continue;
    if (auto loss = find_loss(memory_->page(rank), index(rank))) return loss;
  }
  return std::nullopt;
}

}  // namespace gondwana
