#include "front/armci/companion.hpp"

#include <sched.h>

#include "core/machine.hpp"
#include "engine/wait/wait_companion.hpp"
#include "front/armci/mpi.hpp"
#include "front/armci/turns.hpp"

namespace gondwana::armci {
namespace {

// An MPI call that finds nothing takes up to a microsecond.
constexpr std::uint64_t between_calls_of_mpi_ns = 20'000;

// A wait in a call of another door holds no turn.
bool may_give_turn() {
  return own_turn.depth > 0 && own_turn.kept == 0;
}

class Companion final : public WaitCompanion {
 public:
  void step() override {
    if (may_give_turn() && process_turns.is_wanted(own_turn.is_first)) {
      leave();
      ::sched_yield();
      come_back();
    }
    const std::uint64_t now = monotonic_ns();
    if (now - own_turn.mpi_called_ns < between_calls_of_mpi_ns) return;
    own_turn.mpi_called_ns = now;
    move_mpi(own_turn.depth > 0 ? From::this_library : From::elsewhere);
  }
  void leave() override {
    if (may_give_turn()) process_turns.leave(own_turn.is_first);
  }
  void come_back() override {
    if (may_give_turn()) process_turns.enter(own_turn.is_first);
  }
  bool needs_steps() override { return uses_mpi(); }
};

constinit Companion companion;

}  // namespace

void accompany_waits() {
  WaitCompanion::set_present(&companion);
}

void leave_waits_alone() {
  WaitCompanion::set_present(nullptr);
}

void step_companion() {
  companion.step();
}

}  // namespace gondwana::armci
