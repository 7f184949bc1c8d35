// simulate_litmus --tests FOLDER [--seed N | --seeds N | --minutes M] [--from N]: each seed runs
// one litmus test on a simulated job, with the nodes, the limits and the network that it draws,
// until one fails.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "simulation/arguments.hpp"
#include "simulation/engine/children.hpp"
#include "simulation/engine/job.hpp"
#include "simulation/engine/runs.hpp"
#include "simulation/litmus/litmus_door.hpp"
#include "simulation/seeds.hpp"

namespace gondwana::simulation {
namespace {

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

int show(const Tests& tests, std::uint64_t seed) {
  const auto run = [&] {
    name_seed(seed);
    run_job(plan_of(tests, seed), true);
  };
  return returns_in_child(run, Output::shown) ? 0 : 1;
}

int run(const Wish& wish, const Tests& tests) {
  if (wish.seed) return show(tests, *wish.seed);
  const std::uint64_t from = first_seed(wish.from);
  fmt::print("litmus: seeds from {}\n", from);
  std::fflush(stdout);  // a test that is ended by its limit tells them, too
  Runs runs("litmus", [&](std::uint64_t seed) { return plan_of(tests, seed); });
  const std::optional<std::uint64_t> failed =
      wish.minutes ? runs.run_for(from, *wish.minutes) : runs.run_from(from, wish.seeds);
  runs.tell();
  if (!failed) return 0;
  fmt::print("Seed {} fails. To see it again: ./dev simulate --litmus --seed {}\n", *failed,
             *failed);
  return 1;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  std::string wrong = read_arguments(words, {{"--tests", &wish.folder},
                                             {"--seed", &wish.seed},
                                             {"--seeds", &wish.seeds, 0, Runs::most_seeds},
                                             {"--minutes", &wish.minutes},
                                             {"--from", &wish.from}});
  if (wrong.empty() && wish.folder.empty()) wrong = "--tests is missing";
  if (wrong.empty()) {
    const Result<Tests> tests = simulated_tests(wish.folder);
    if (tests && !tests->empty()) return run(wish, *tests);
    fmt::print(stderr, "{}\n", tests ? "no litmus tests there" : tests.error().text);
    return 2;
  }
  fmt::print(stderr,
             "simulate_litmus: {}\nusage: simulate_litmus --tests FOLDER [--seed N | --seeds N | "
             "--minutes M] [--from N]\n",
             wrong);
  return 2;
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
