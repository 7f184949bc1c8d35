// simulate_engine [--seed N | --seeds N | --minutes M] [--from N] [--past FILE]: runs ranks with
// the real engine by seeds, until one fails. The job of a seed that fails is reduced while it
// fails. The job of --seed runs twice and must go the same way.
//
// simulate_engine --traces N [--from N]: prints a hash of all that happens in each job.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "simulation/arguments.hpp"
#include "simulation/engine/children.hpp"
#include "simulation/engine/job.hpp"
#include "simulation/engine/runs.hpp"
#include "simulation/engine/shrink.hpp"
#include "simulation/seeds.hpp"

namespace gondwana::simulation {
namespace {

struct Wish {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 300;
  std::optional<std::uint64_t> minutes;
  std::optional<std::uint64_t> from;
  std::string past;  // a file of seeds to begin with
  std::optional<std::uint64_t> traces;
};

JobPlan plan_of(std::uint64_t seed) {
  return {.seed = seed, .schedule = seed, .program = draw_program(seed)};
}

int tell_failure(std::uint64_t seed) {
  fmt::print("To see it again: ./dev simulate --engine --seed {}\n", seed);
  const JobPlan small = shrink(plan_of(seed));
  fmt::print("\nThe smallest job that fails:\n{}\n{}\n", describe(small.program),
             list_actions(small.program));
  const auto run = [&] {
    name_seed(seed);
    run_job(small, false);
  };
  returns_in_child(run, Output::shown);
  return 1;
}

// Each run has a child of its own, because a process that has died leaves memory behind.
int show(std::uint64_t seed) {
  auto& reports = shared<std::array<JobReport, 2>>();
  for (const bool is_told : {true, false}) {
    const auto run = [&] {
      name_seed(seed);
      reports[is_told ? 0 : 1] = run_job(plan_of(seed), is_told);
    };
    if (!returns_in_child(run, Output::shown)) return tell_failure(seed);
  }
  const JobReport& first = reports[0];
  fmt::print("{:.6f} s of virtual time, {} steps, {} messages, history {:016x}\n",
             static_cast<double>(first.time) * 1e-9, first.steps, first.messages, first.history);
  if (first.history == reports[1].history) return 0;
  fmt::print("Seed {} fails: the same seed has two histories\n", seed);
  return 1;
}

// The jobs that ran before in a child must have no influence either.
int print_traces(std::uint64_t from, std::uint64_t seeds) {
  for (std::uint64_t first = from; first < from + seeds; first += jobs_of_child) {
    const auto run = [&] {
      for (std::uint64_t seed = first; seed < std::min(first + jobs_of_child, from + seeds);
           ++seed) {
        name_seed(seed);
        const JobReport one = run_job(plan_of(seed), false);
        fmt::print("{} {:016x} {} {} {}\n", seed, one.history, one.time, one.steps, one.messages);
      }
    };
    if (!returns_in_child(run, Output::shown)) return 1;
  }
  return 0;
}

int run(const Wish& wish) {
  if (wish.seed) return show(*wish.seed);
  if (wish.traces) return print_traces(wish.from.value_or(1), *wish.traces);
  Runs runs("engine", plan_of);
  std::optional<std::uint64_t> failed = runs.run(seeds_in(wish.past));
  if (!failed) {
    const std::uint64_t from = first_seed(wish.from);
    fmt::print("engine: seeds from {}\n", from);
    std::fflush(stdout);  // a test that is ended by its limit tells them, too
    failed = wish.minutes ? runs.run_for(from, *wish.minutes) : runs.run_from(from, wish.seeds);
  }
  runs.tell();
  return failed ? tell_failure(*failed) : 0;
}

int usage(const std::string& wrong) {
  fmt::print(stderr,
             "simulate_engine: {}\nusage: simulate_engine [--seed N | --seeds N | --minutes M | "
             "--traces N] "
             "[--from N] [--past FILE]\n",
             wrong);
  return 2;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  const std::string wrong = read_arguments(words, {{"--seed", &wish.seed},
                                                   {"--seeds", &wish.seeds, 0, Runs::most_seeds},
                                                   {"--minutes", &wish.minutes},
                                                   {"--from", &wish.from},
                                                   {"--past", &wish.past},
                                                   {"--traces", &wish.traces}});
  return wrong.empty() ? run(wish) : usage(wrong);
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
