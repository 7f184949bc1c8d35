// Barriers: of GASNet-EX, and the split-phase one of GASNet-1 whose callers compare ids.
#pragma once

#include <optional>

#include "front/gasnet/collectives.hpp"

namespace gondwana::gasnet {

// What a caller passes to notify or wait.
struct BarrierName {
  int id;
  int flags;

  bool is_named() const;
};

// What all callers of notify say together.
struct BarrierOutcome {
  bool mismatch = false;
  std::optional<int> id;  // nothing: all were anonymous
};

class Naming {
 public:
  explicit Naming(BarrierName mine) : mine_(mine) {}

  static staged::Flow flow() { return {}; }
  void lay(const staged::Round& round) const;
  void take(const staged::Round& round);
  const BarrierOutcome& outcome() const { return outcome_; }

 private:
  BarrierName mine_;
  BarrierOutcome outcome_;
};

// Of a team. For one thread at a time.
class SplitBarrier {
 public:
  // `goes_away`: whether the caller does something else before it waits.
  void notify(Team& team, CallName call, BarrierName name, bool goes_away);
  int wait(Team& team, CallName call, BarrierName name);
  int try_once(CallName call, BarrierName name);
  // As gasnet_barrier_result().
  int result(CallName call, int* id) const;

 private:
  int leave(BarrierName name);

  std::optional<staged::OneRound<Naming>> round_;  // between notify and wait
  std::optional<int> last_id_;
};

}  // namespace gondwana::gasnet
