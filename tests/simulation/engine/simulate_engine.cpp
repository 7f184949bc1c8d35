// simulate_engine [--seed N | --seeds N | --minutes M] [--from N]: runs ranks with the real engine
// by seeds, until one fails. The job of a seed that fails is reduced while it fails. The job of
// --seed runs twice and must go the same way.
//
// simulate_engine --traces N [--from N]: prints a hash of all that happens in each job.
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/assert.hpp"
#include "simulation/arguments.hpp"
#include "simulation/engine/children.hpp"
#include "simulation/engine/job.hpp"
#include "simulation/engine/shrink.hpp"

namespace gondwana::simulation {
namespace {

using Clock = std::chrono::steady_clock;

struct Wish {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 300;
  std::optional<std::uint64_t> minutes;
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> traces;
};

// A process that has died leaves memory and descriptors behind, so a child runs only a few jobs.
constexpr std::uint64_t jobs_of_child = 40;

// What a child has done.
struct Progress {
  std::uint64_t jobs;
  std::uint64_t losses;  // jobs in which a process dies
  JobReport all;
};

// Memory that a child shares with this process.
template <typename T>
T& shared() {
  void* const memory =
      ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  GONDWANA_ASSERT(memory != MAP_FAILED, errno);
  return *new (memory) T{};
}

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

class Runs {
 public:
  explicit Runs(std::uint64_t from) : from_(from), progress_(shared<Progress>()) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  std::uint64_t jobs() const { return progress_.jobs; }
  std::uint64_t seed() const { return from_ + progress_.jobs; }

  bool run(std::uint64_t count) {
    return returns_in_child(
        [&] {
          for (std::uint64_t i = 0; i < count; ++i) run_one();
        },
        Output::shown);
  }

  void tell() const {
    const double virtual_s = static_cast<double>(progress_.all.time) * 1e-9;
    fmt::print(
        "engine: {} jobs, {} with a loss; {} steps, {} messages, {:.3f} s of virtual time in "
        "{:.1f} s: {:.0f} virtual seconds a second; history {:016x}\n",
        progress_.jobs, progress_.losses, progress_.all.steps, progress_.all.messages, virtual_s,
        seconds(), virtual_s / seconds(), progress_.all.history);
  }

 private:
  void run_one() {
    name_seed(seed());
    const JobPlan plan = plan_of(seed());
    const JobReport one = run_job(plan, false);
    JobReport& all = progress_.all;
    all.time += one.time;
    all.steps += one.steps;
    all.messages += one.messages;
    all.history ^= one.history;
    progress_.losses += plan.program.loss ? 1 : 0;
    ++progress_.jobs;
  }

  std::uint64_t from_;
  Progress& progress_;
  Clock::time_point begin_ = Clock::now();
};

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
  const std::uint64_t from = wish.from ? *wish.from : std::random_device()();
  fmt::print("engine: seeds from {}\n", from);
  Runs runs(from);
  while (wish.minutes ? runs.seconds() < 60.0 * static_cast<double>(*wish.minutes)
                      : runs.jobs() < wish.seeds) {
    const std::uint64_t left = wish.minutes ? jobs_of_child : wish.seeds - runs.jobs();
    if (runs.run(std::min(jobs_of_child, left))) continue;
    runs.tell();
    return tell_failure(runs.seed());
  }
  runs.tell();
  return 0;
}

int usage() {
  fmt::print(stderr,
             "usage: simulate_engine [--seed N | --seeds N | --minutes M | --traces N] "
             "[--from N]\n");
  return 2;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  const bool is_read = read_arguments(words, {{"--seed", &wish.seed},
                                              {"--seeds", &wish.seeds},
                                              {"--minutes", &wish.minutes},
                                              {"--from", &wish.from},
                                              {"--traces", &wish.traces}});
  return is_read ? run(wish) : usage();
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
