#include "front/armci/turns.hpp"

#include <sched.h>

#include "engine/wait/wait_companion.hpp"

namespace gondwana::armci {

constinit ProcessTurns process_turns;
constinit thread_local OwnTurn own_turn;

namespace {

// A wait of another door has no turn to give away.
bool may_give() {
  return own_turn.depth > 0 && own_turn.kept == 0;
}

class Companion final : public WaitCompanion {
 public:
  void step() override {
    if (!may_give() || !process_turns.is_wanted(own_turn.is_first)) return;
    leave();
    ::sched_yield();
    come_back();
  }
  void leave() override {
    if (may_give()) process_turns.leave(own_turn.is_first);
  }
  void come_back() override {
    if (may_give()) process_turns.enter(own_turn.is_first);
  }
};

constinit Companion companion;

}  // namespace

void prepare_turns() {
  register_for_heavy_fence();
}

void open_turns() {
  WaitCompanion::set_present(&companion);
}

void close_turns() {
  WaitCompanion::set_present(nullptr);
}

}  // namespace gondwana::armci
