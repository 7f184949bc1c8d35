#include "simulation/engine/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
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

void hide_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, number);
}

}  // namespace

void name_seed(std::uint64_t seed) {
  seed_now = seed;
  ::alarm(longest_s);
}

bool returns_in_child(const std::function<void()>& run, Output output) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  GONDWANA_ASSERT(child >= 0, errno);
  if (child == 0) {
    if (output == Output::hidden) hide_output();
    tell_crashes();
    run();
    std::fflush(stdout);
    std::_Exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) GONDWANA_ASSERT(errno == EINTR, errno);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace gondwana::simulation
