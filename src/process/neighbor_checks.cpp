#include "process/neighbor_checks.hpp"

namespace gondwana {
namespace {

constexpr std::uint64_t check_interval_ns = 350'000'000;

}  // namespace

NeighborStep NeighborChecks::handle(const NeighborEvent& event, std::uint64_t now) {
  if (const auto* checked = std::get_if<LossesChecked>(&event)) return on(*checked, now);
  if (const auto* taken = std::get_if<SnapshotTaken>(&event)) return on(*taken, now);
  if (const auto* sought = std::get_if<StillnessSought>(&event)) return on(*sought, now);
  if (now < next_ns_) return ContinueWait{};
  next_ns_ = now + check_interval_ns;
  return CheckLosses{};
}

NeighborStep NeighborChecks::on(const LossesChecked& checked, std::uint64_t now) const {
  if (checked.loss) return Error{Errc::peer_lost, *checked.loss};
  if (!checked.any_ends || now < deadlock_check_ns_) return ContinueWait{};
  return TakeSnapshot{};
}

// The first rank that is part of the job checks for all.
NeighborStep NeighborChecks::on(const SnapshotTaken& taken, std::uint64_t now) {
  if (!taken.is_first) deadlock_check_ns_ = now + stillness_interval_ns;
  if (!taken.is_first || !taken.any_leaves) return ContinueWait{};
  return FindStillness{};
}

NeighborStep NeighborChecks::on(const StillnessSought& sought, std::uint64_t now) {
  deadlock_check_ns_ = now + stillness_interval_ns;
  if (!deadlock_.holds(sought.found)) return ContinueWait{};
  return ReportDeadlock{};
}

}  // namespace gondwana
