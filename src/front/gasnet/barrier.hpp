// The barrier of GASNet-EX, and the split-phase barrier of GASNet-1, whose callers compare ids.
#pragma once

#include <optional>
#include <variant>

#include "front/gasnet/collectives.hpp"

namespace gondwana::gasnet {

// The name that a caller passes to notify or wait.
struct BarrierName {
  int id;
  int flags;

  bool is_named() const;
};

// The combined arguments of several callers of notify.
struct BarrierOutcome {
  bool mismatch = false;
  bool is_named = false;
  int id = 0;  // of the named callers

  static BarrierOutcome of(BarrierName name);
};

// Belongs to a team. Used by one thread at a time.
class SplitBarrier {
 public:
  SplitBarrier() = default;
  SplitBarrier(const SplitBarrier&) = delete;
  SplitBarrier& operator=(const SplitBarrier&) = delete;

  // `goes_away`: the caller does other work before it waits.
  void notify(Team& team, CallName call, BarrierName name, bool goes_away);
  int wait(Team& team, CallName call, BarrierName name);
  int try_once(CallName call, BarrierName name);
  // Implements gasnet_barrier_result().
  int result(CallName call, int* id) const;

 private:
  using Round = staged::OneRound<staged::SmallReduction>;

  bool advance();
  int leave(BarrierName name);

  // Set between notify and wait. It is an event if the steps must progress without calls to the
  // barrier.
  std::optional<std::variant<Round, gex_Event_t>> step_;
  BarrierOutcome mine_;
  BarrierOutcome all_;
  std::optional<int> last_id_;
};

}  // namespace gondwana::gasnet
