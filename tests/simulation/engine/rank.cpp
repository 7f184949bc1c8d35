#include "simulation/engine/rank.hpp"

#include <fmt/format.h>

#include <optional>

#include "simulation/engine/collective.hpp"
#include "simulation/engine/messages.hpp"
#include "simulation/engine/operations.hpp"
#include "simulation/engine/rank_context.hpp"

namespace gondwana::simulation {
namespace {

bool is_message(Act act) {
  return act == Act::request_short || act == Act::request_medium || act == Act::request_long;
}

class RankProgram {
 public:
  RankProgram(Machine& machine, const Program& program, Engine& engine)
      : rank_(machine, program, engine) {
    if (program.has_messages) messages_.emplace(rank_, engine);
  }

  void run() {
    for (const Phase& phase : rank_.program.phases) {
      for (const Action& action : phase.actions[rank_.me()])
        is_message(action.act) ? messages_->send(action) : perform(rank_, action);
      take_mail(phase);
      if (messages_) messages_->finish(phase);
      barrier();
      rank_.machine.note("has left the barrier");
      rank_.has_quieted();
      check(phase);
      meet(rank_, phase);
      barrier();
      ++rank_.number;
    }
  }

 private:
  void barrier() { shmem::barrier_all(rank_.as("barrier")); }

  void take_mail(const Phase& phase) {
    for (std::uint32_t writer = 0; writer < rank_.ranks; ++writer) {
      const std::vector<std::byte>& expected = phase.mail[rank_.me()][writer];
      if (expected.empty()) continue;
      shmem::signal_wait_until(rank_.as("signal_wait_until"), &rank_.flags[writer], SHMEM_CMP_EQ,
                               rank_.number + 1);
      rank_.expect_bytes(rank_.mail(writer), expected, fmt::format("mail from rank {}", writer));
    }
  }

  void check_word(std::uint64_t found, std::uint64_t expected, const char* what) {
    rank_.expect(found == expected,
                 fmt::format("{} after the barrier: {}, not {}", what, found, expected));
  }

  void check(const Phase& phase) {
    const std::uint32_t me = rank_.me();
    const State& state = phase.after;
    for (std::uint32_t writer = 0; writer < rank_.ranks; ++writer) {
      rank_.expect_bytes(rank_.area(writer), state.areas[me][writer],
                         fmt::format("the area of rank {} after the barrier", writer));
      check_word(rank_.cells[writer], state.cells[me][writer], "a cell");
    }
    for (std::size_t i = 0; i < Program::sums; ++i)
      check_word(rank_.sums[i], state.sums[me][i], "a sum");
    check_word(rank_.bits[0], state.bits[me], "bits");
    for (std::size_t i = 0; i < Program::totals; ++i)
      if (rank_.totals[i] != state.totals[me][i])
        check_word(rank_.totals[i], state.totals[me][i], "an accumulated element");
    if (me == 0) check_word(rank_.counter[0], state.locked, "the count under the lock");
  }

  RankContext rank_;
  std::optional<RankMessages> messages_;
};

}  // namespace

void run_rank(Machine& machine, const Program& program, Engine& engine) {
  RankProgram(machine, program, engine).run();
}

}  // namespace gondwana::simulation
