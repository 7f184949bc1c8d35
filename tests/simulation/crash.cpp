#include "simulation/crash.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>

#include "core/assert.hpp"

namespace gondwana::simulation {
namespace {

constexpr unsigned longest_s = 60;  // of a job

std::uint64_t seed_now = 0;  // for the handler

// An assertion of the engine, a bad access, the end of a fiber's stack, or a job that makes no
// progress.
void tell_crash(int signal) {
  std::array<char, 64> text{};
  const auto end = signal == SIGALRM
                       ? fmt::format_to_n(text.data(), text.size(),
                                          "\nSeed {} fails: the job has not ended in {} s\n",
                                          seed_now, longest_s)
                       : fmt::format_to_n(text.data(), text.size(), "\nSeed {} fails: signal {}\n",
                                          seed_now, signal);
  [[maybe_unused]] const ssize_t written =
      ::write(STDOUT_FILENO, text.data(), std::min(end.size, text.size()));
  std::_Exit(1);
}

}  // namespace

// The handler has a stack of its own, because that of a fiber may be full.
void tell_crashes() {
  static std::array<std::byte, std::size_t{64} << 10> memory;
  const stack_t stack{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  GONDWANA_ASSERT(::sigaltstack(&stack, nullptr) == 0, errno);
  struct sigaction action = {};
  action.sa_handler = tell_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    GONDWANA_ASSERT(::sigaction(number, &action, nullptr) == 0, errno);
}

void name_seed(std::uint64_t seed) {
  seed_now = seed;
  ::alarm(longest_s);
}

}  // namespace gondwana::simulation
