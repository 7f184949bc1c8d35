// simulate [--seed N | --seeds N | --minutes M] [--from N] [--past FILE]: runs jobs by seeds until
// one fails, and tells then what happened.
//
// simulate --hosts N: runs a job on N hosts, and prints what that costs.
//
// simulate --traces N [--from N]: prints a hash of all that happens in each job and of its log.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash.hpp"
#include "simulation/arguments.hpp"
#include "simulation/changing_job.hpp"
#include "simulation/crash.hpp"
#include "simulation/joining_job.hpp"
#include "simulation/plan.hpp"
#include "simulation/seeds.hpp"
#include "simulation/shrink.hpp"
#include "simulation/stuck_job.hpp"
#include "simulation/surviving_job.hpp"
#include "simulation/world.hpp"

namespace gondwana::simulation {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t most_hosts = 1000000;

struct Wish {
  std::optional<std::uint64_t> seed;  // that one, and how it goes
  std::uint64_t seeds = 3000;
  std::optional<std::uint64_t> minutes;
  std::optional<std::uint64_t> from;
  std::string past;  // a file of seeds to begin with
  std::optional<std::uint64_t> traces;
  std::optional<std::uint64_t> hosts;
};

void print(const std::vector<std::string>& log) {
  for (const std::string& line : log) fmt::print("  {}\n", line);
}

void tell_failure(const Plan& plan, const std::string& wrong) {
  fmt::print("Seed {} fails: {}\nTo see it again: ./dev simulate --seed {}\n", plan.seed, wrong,
             plan.seed);
  std::fflush(stdout);  // a smaller job may crash
  const Plan small = shrink(plan);
  const Report report = World(small, true).run();
  fmt::print("\nThe smallest job that fails: {}\n{}\nWhat happens:\n", report.wrong,
             describe(small));
  print(report.log);
}

// The jobs of a seed besides the whole one.
const std::vector<std::string> parts{"its agents ask whether a rank can continue",
                                     "its ranks find each other through another launcher",
                                     "it continues after deaths", "its ranks change"};

PartReport run_part(std::size_t part, std::uint64_t seed, bool logs) {
  if (part == 0) return StuckJob(seed, logs).run();
  if (part == 1) return JoiningJob(seed, logs).run();
  return part == 2 ? SurvivingJob(seed, logs).run() : ChangingJob(seed, logs).run();
}

void tell_failure_of_part(std::size_t part, std::uint64_t seed, const std::string& wrong) {
  fmt::print(
      "Seed {} fails, a job in which {}: {}\nTo see it again: ./dev simulate --seed {}\n"
      "What happens:\n",
      seed, parts[part], wrong, seed);
  print(run_part(part, seed, true).log);
}

// Runs jobs and keeps count.
class Runs {
 public:
  bool run(std::uint64_t seed) {
    name_seed(seed);
    const Plan plan = draw_plan(seed);
    const Report report = World(plan, false).run();
    time_ += report.time;
    ++count_;
    if (!report.wrong.empty()) {
      tell();
      tell_failure(plan, report.wrong);
      return false;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const PartReport of_part = run_part(part, seed, false);
      time_ += of_part.time;
      if (of_part.wrong.empty()) continue;
      tell();
      tell_failure_of_part(part, seed, of_part.wrong);
      return false;
    }
    return true;
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }
  void tell() const {
    const double simulated = static_cast<double>(time_) * 1e-9;
    fmt::print("{} seeds, {:.0f} s of virtual time in {:.1f} s: {:.0f} virtual seconds a second\n",
               count_, simulated, seconds(), simulated / seconds());
  }

 private:
  Clock::time_point began_ = Clock::now();
  Time time_ = 0;
  std::uint64_t count_ = 0;
};

int show(std::uint64_t seed) {
  name_seed(seed);
  const Plan plan = draw_plan(seed);
  const Report report = World(plan, true).run();
  fmt::print("{}\n", describe(plan));
  print(report.log);
  bool is_right = report.wrong.empty();
  for (std::size_t part = 0; part < parts.size(); ++part) {
    fmt::print("\nA job in which {}:\n", parts[part]);
    const PartReport of_part = run_part(part, seed, true);
    print(of_part.log);
    is_right = is_right && of_part.wrong.empty();
  }
  if (report.wrong.empty()) return is_right ? 0 : 1;
  fmt::print("\n");
  tell_failure(plan, report.wrong);
  return 1;
}

void print(const char* what, const Traffic& from, const Traffic& to, double hosts) {
  const auto per_host = [hosts](std::uint64_t before, std::uint64_t after) {
    return static_cast<double>(after - before) / hosts;
  };
  fmt::print("  {:30} {:8.3f} s {:8.2f} {:8.2f} {:12.0f}\n", what,
             static_cast<double>(to.at - from.at) * 1e-9, per_host(from.sent, to.sent),
             per_host(from.received, to.received), per_host(from.bytes, to.bytes));
}

// What a job costs that runs to its end, and one in which a rank dies.
int run_large(std::uint64_t hosts) {
  const auto each = static_cast<double>(hosts);
  fmt::print("{} hosts, for each of them {:13} {:>8} {:>8} {:>12}\n", hosts, "", "to it", "from it",
             "bytes");
  for (const bool dies : {false, true}) {
    const auto began = Clock::now();
    const Report report = World(large_plan(static_cast<std::uint32_t>(hosts), dies), false).run();
    if (dies) {
      print("from a death to the end", report.to_fault, report.to_end, each);
    } else {
      print("until all ranks have joined", {}, report.to_start, each);
      print("while they run", report.to_start, report.to_finalize, each);
      print("from finalize to the end", report.to_finalize, report.to_end, each);
    }
    if (!report.wrong.empty()) {
      fmt::print("It fails: {}\n", report.wrong);
      return 1;
    }
    fmt::print("  simulated {:.1f} s in {:.1f} s\n", static_cast<double>(report.time) * 1e-9,
               std::chrono::duration<double>(Clock::now() - began).count());
  }
  return 0;
}

// Keeping a log must not change what happens.
int print_traces(std::uint64_t from, std::uint64_t seeds) {
  for (std::uint64_t seed = from; seed < from + seeds; ++seed) {
    name_seed(seed);
    const Plan plan = draw_plan(seed);
    const Report silent = World(plan, false).run();
    const Report report = World(plan, true).run();
    if (report.trace != silent.trace) {
      fmt::print(stderr, "Seed {} happens in another way if it is logged\n", seed);
      return 1;
    }
    Hash words;
    words.add(describe(plan)).add(report.wrong);
    for (const std::string& line : report.log) words.add(line);
    for (std::size_t part = 0; part < parts.size(); ++part)
      for (const std::string& line : run_part(part, seed, true).log) words.add(line);
    fmt::print("{} {:016x} {:016x}\n", seed, report.trace, words.value());
  }
  return 0;
}

int run(const Wish& wish) {
  tell_crashes();
  if (wish.seed) return show(*wish.seed);
  if (wish.hosts) return run_large(*wish.hosts);
  if (wish.traces) return print_traces(wish.from.value_or(0), *wish.traces);
  Runs runs;
  if (!wish.past.empty())
    for (const std::uint64_t seed : seeds_in(wish.past))
      if (!runs.run(seed)) return 1;
  const std::uint64_t from = first_seed(wish.from);
  fmt::print("seeds from {}\n", from);
  std::fflush(stdout);  // a test that is ended by its limit tells them, too
  for (std::uint64_t i = 0;; ++i) {
    const bool goes_on =
        wish.minutes ? runs.seconds() < 60.0 * static_cast<double>(*wish.minutes) : i < wish.seeds;
    if (!goes_on) break;
    if (!runs.run(from + i)) return 1;
  }
  runs.tell();
  return 0;
}

int usage(const std::string& wrong) {
  fmt::print(
      stderr,
      "simulate: {}\nusage: simulate [--seed N | --seeds N | --minutes M | --hosts N | --traces N] "
      "[--from N] [--past FILE]\n",
      wrong);
  return 2;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  const std::string wrong = read_arguments(words, {{"--seed", &wish.seed},
                                                   {"--seeds", &wish.seeds},
                                                   {"--minutes", &wish.minutes},
                                                   {"--from", &wish.from},
                                                   {"--past", &wish.past},
                                                   {"--hosts", &wish.hosts, 1, most_hosts},
                                                   {"--traces", &wish.traces}});
  return wrong.empty() ? run(wish) : usage(wrong);
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
