// simulate_litmus --tests FOLDER [--seed N | --seeds N | --minutes M] [--from N]: each seed runs
// one litmus test on a simulated job, with the nodes, the limits and the network that it draws.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "simulation/arguments.hpp"
#include "simulation/engine/job.hpp"
#include "simulation/litmus/litmus_door.hpp"

namespace gondwana::simulation {
namespace {

using Clock = std::chrono::steady_clock;

struct Wish {
  std::string folder;
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 300;
  std::optional<std::uint64_t> minutes;
  std::optional<std::uint64_t> from;
};

using Tests = std::vector<litmus::LitmusTest>;

// Each test in turn, on a job with ranks enough. No process dies: the standard promises nothing
// then.
JobPlan plan_of(const Tests& tests, std::uint64_t seed) {
  const litmus::LitmusTest& test = tests[seed % tests.size()];
  JobPlan plan{.seed = seed, .schedule = seed, .program = draw_program(seed)};
  for (std::uint64_t i = 1; static_cast<int>(plan.program.ranks()) < test.ranks(); ++i)
    plan.program = draw_program(seed + (i << 32));
  plan.program.loss.reset();
  plan.program.phases.clear();
  plan.body = [&test, seed](Machine& machine, Engine& engine) {
    run_litmus(machine, engine, test, seed);
  };
  return plan;
}

int run(const Wish& wish, const Tests& tests) {
  if (wish.seed) {
    run_job(plan_of(tests, *wish.seed), true);
    return 0;
  }
  const std::uint64_t from = wish.from ? *wish.from : std::random_device()();
  fmt::print("litmus: seeds from {}\n", from);
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::uint64_t jobs = 0;
  std::uint64_t messages = 0;
  while (wish.minutes ? seconds() < 60.0 * static_cast<double>(*wish.minutes) : jobs < wish.seeds)
    messages += run_job(plan_of(tests, from + jobs++), false).messages;
  fmt::print("litmus: {} jobs, {} messages in {:.1f} s\n", jobs, messages, seconds());
  return 0;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  const bool is_read = read_arguments(words, {{"--tests", &wish.folder},
                                              {"--seed", &wish.seed},
                                              {"--seeds", &wish.seeds},
                                              {"--minutes", &wish.minutes},
                                              {"--from", &wish.from}});
  if (is_read && !wish.folder.empty()) {
    const Result<Tests> tests = simulated_tests(wish.folder);
    if (tests && !tests->empty()) return run(wish, *tests);
    fmt::print(stderr, "{}\n", tests ? "no litmus tests there" : tests.error().text);
    return 2;
  }
  fmt::print(
      stderr,
      "usage: simulate_litmus --tests FOLDER [--seed N | --seeds N | --minutes M] [--from N]\n");
  return 2;
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
