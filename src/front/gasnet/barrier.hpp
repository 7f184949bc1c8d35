// Barriers: of GASNet-EX, and the split-phase one of GASNet-1 whose callers compare ids.
#pragma once

#include <optional>
#include <variant>

#include "front/gasnet/collectives.hpp"

namespace gondwana::gasnet {

// What a caller passes to notify or wait.
struct BarrierName {
  int id;
  int flags;

  bool is_named() const;
};

// What some callers of notify say together.
struct BarrierOutcome {
  bool mismatch = false;
  bool is_named = false;
  int id = 0;  // of those that are named

  static BarrierOutcome of(BarrierName name);
};

// Of a team. For one thread at a time.
class SplitBarrier {
 public:
  // `goes_away`: whether the caller does something else before it waits.
  SplitBarrier() = default;
  SplitBarrier(const SplitBarrier&) = delete;
  SplitBarrier& operator=(const SplitBarrier&) = delete;

  void notify(Team& team, CallName call, BarrierName name, bool goes_away);
  int wait(Team& team, CallName call, BarrierName name);
  int try_once(CallName call, BarrierName name);
  // As gasnet_barrier_result().
  int result(CallName call, int* id) const;

 private:
  using Round = staged::OneRound<staged::SmallReduction>;

  bool advance();
  int leave(BarrierName name);

  // Between notify and wait; an event where steps must go on without this barrier being asked.
  std::optional<std::variant<Round, gex_Event_t>> step_;
  BarrierOutcome mine_;
  BarrierOutcome all_;
  std::optional<int> last_id_;
};

}  // namespace gondwana::gasnet
