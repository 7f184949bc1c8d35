// simulate_engine [--seed N | --seeds N | --minutes M] [--from N]: runs ranks with the real engine
// by seeds, until one fails. Each job of --seed runs twice and must go the same way.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

#include "core/assert.hpp"
#include "simulation/arguments.hpp"
#include "simulation/engine/job.hpp"

namespace gondwana::simulation {
namespace {

using Clock = std::chrono::steady_clock;

struct Wish {
  std::optional<std::uint64_t> seed;
  std::uint64_t seeds = 300;
  std::optional<std::uint64_t> minutes;
  std::optional<std::uint64_t> from;
};

std::uint64_t seed_now = 0;  // for the handler

// An assertion of the engine, a bad access, or the end of a fiber's stack.
void tell_crash(int signal) {
  std::array<char, 128> text{};
  const auto end = fmt::format_to_n(text.data(), text.size(),
                                    "Seed {} fails: signal {}\nTo see it again: ./dev simulate "
                                    "--engine --seed {}\n",
                                    seed_now, signal, seed_now);
  [[maybe_unused]] const ssize_t written =
      ::write(STDOUT_FILENO, text.data(), std::min(end.size, text.size()));
  std::_Exit(1);
}

JobReport run_seed(std::uint64_t seed, bool is_told) {
  seed_now = seed;
  return run_job(seed, is_told);
}

int show(std::uint64_t seed) {
  const JobReport first = run_seed(seed, true);
  const JobReport second = run_seed(seed, false);
  fmt::print("{:.6f} s of virtual time, {} steps, {} messages, history {:016x}\n",
             static_cast<double>(first.time) * 1e-9, first.steps, first.messages, first.history);
  if (first.history == second.history) return 0;
  fmt::print("Seed {} fails: the same seed has two histories\n", seed);
  return 1;
}

// The handler has a stack of its own, because that of a fiber may be full.
void tell_crashes() {
  static std::array<std::byte, std::size_t{64} << 10> memory;
  const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  GONDWANA_ASSERT(::sigaltstack(&stack, nullptr) == 0, errno);
  struct sigaction action = {};
  action.sa_handler = tell_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS})
    GONDWANA_ASSERT(::sigaction(number, &action, nullptr) == 0, errno);
}

int run(const Wish& wish) {
  tell_crashes();
  if (wish.seed) return show(*wish.seed);
  const std::uint64_t from = wish.from ? *wish.from : std::random_device()();
  fmt::print("engine: seeds from {}\n", from);
  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  JobReport all;
  std::uint64_t jobs = 0;
  while (wish.minutes ? seconds() < 60.0 * static_cast<double>(*wish.minutes) : jobs < wish.seeds) {
    const JobReport one = run_seed(from + jobs++, false);
    all.time += one.time;
    all.steps += one.steps;
    all.messages += one.messages;
    all.history ^= one.history;
  }
  fmt::print(
      "engine: {} jobs, {} steps, {} messages, {:.3f} s of virtual time in {:.1f} s; history "
      "{:016x}\n",
      jobs, all.steps, all.messages, static_cast<double>(all.time) * 1e-9, seconds(), all.history);
  return 0;
}

int usage() {
  fmt::print(stderr, "usage: simulate_engine [--seed N | --seeds N | --minutes M] [--from N]\n");
  return 2;
}

int main(const std::vector<std::string>& words) {
  Wish wish;
  const bool is_read = read_arguments(words, {{"--seed", &wish.seed},
                                              {"--seeds", &wish.seeds},
                                              {"--minutes", &wish.minutes},
                                              {"--from", &wish.from}});
  return is_read ? run(wish) : usage();
}

}  // namespace
}  // namespace gondwana::simulation

int main(int argc, char** argv) {
  return gondwana::simulation::main({argv + 1, argv + argc});
}
