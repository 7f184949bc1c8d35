// The checks that a waiting rank makes on its node, and their times. Events and the time come in,
// the next step goes out. It makes no system call and reads no clock; NeighborWatch does both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/result.hpp"
#include "memory/stillness.hpp"

namespace gondwana {

struct RankWaits {};
// Answers CheckLosses.
struct LossesChecked {
  std::optional<std::string> loss;
  bool any_ends;  // a rank of the node has begun to end
};
// Answers TakeSnapshot.
struct SnapshotTaken {
  bool is_first;  // this rank is the first one that is part of the job
  bool any_leaves;
};
// Answers FindStillness.
struct StillnessSought {
  std::optional<Stillness> found;
};
using NeighborEvent = std::variant<RankWaits, LossesChecked, SnapshotTaken, StillnessSought>;

struct ContinueWait {};
struct CheckLosses {};
struct TakeSnapshot {};
struct FindStillness {};   // of the ranks in the snapshot
struct ReportDeadlock {};  // of the snapshot
using NeighborStep =
    std::variant<ContinueWait, CheckLosses, TakeSnapshot, FindStillness, ReportDeadlock, Error>;

class NeighborChecks {
 public:
  NeighborStep handle(const NeighborEvent& event, std::uint64_t now);

 private:
  NeighborStep on(const LossesChecked& checked, std::uint64_t now) const;
  NeighborStep on(const SnapshotTaken& taken, std::uint64_t now);
  NeighborStep on(const StillnessSought& sought, std::uint64_t now);

  std::uint64_t next_ns_ = 0;
  std::uint64_t deadlock_check_ns_ = 0;  // the next one
  Deadlock deadlock_;
};

}  // namespace gondwana
