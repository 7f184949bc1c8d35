#include "process/standard_output.hpp"

#include <pthread.h>
#include <stdio_ext.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <string_view>

#include "process/unlocked_output.hpp"

namespace gondwana {
namespace {

constexpr timespec between_looks{0, 2'000'000};
// Lines come slowly if no more than this was printed between two looks, for that many looks.
constexpr std::size_t few_bytes = 256;
constexpr int quiet_looks = 25;

// Of this process. Never freed: exit handlers print.
struct Output {
  std::array<char, 32768> buffer{};
  int guardian = -1;
  std::atomic<bool> is_set{false};  // the buffer above is that of the standard output
  std::atomic<bool> crashes{false};
};
constinit Output output;

std::string_view asked_in(const Environment& environment) {
  return setting_of(variable(VariableId::gondwana_stdout_buffer), environment).value;
}

bool is_pipe_or_socket(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// With a buffer named, the C library writes what is left and begins anew in either mode.
void set_mode(int mode) {
  std::setvbuf(stdout, output.buffer.data(), mode, output.buffer.size());
}

// Lines come fast. The program may have chosen its own way of buffering since, or closed the
// stream: its word counts.
void gather_lines() {
  ::flockfile(stdout);
  const bool is_ours = __flbf(stdout) != 0 && __fbufsize(stdout) == output.buffer.size();
  if (is_ours) set_mode(_IOFBF);
  ::funlockfile(stdout);
  if (!is_ours) return;
  for (int quiet = 0; quiet < quiet_looks && !output.crashes;) {
    ::nanosleep(&between_looks, nullptr);
    ::flockfile(stdout);
    quiet = __fpending(stdout) <= few_bytes ? quiet + 1 : 0;
    std::fflush(stdout);
    ::funlockfile(stdout);
  }
  ::flockfile(stdout);
  if (__fbufsize(stdout) == output.buffer.size() && !output.crashes) set_mode(_IOLBF);
  ::funlockfile(stdout);
}

// A thread of its own, which costs nothing while nobody says anything. No other one serves: the
// program's may compute for hours after they have printed.
void* wait_for_floods(void* /*unused*/) {
  ::prctl(PR_SET_NAME, "gondwana output");
  std::array<char, 16> word{};
  for (;;) {
    const ssize_t count = ::recv(output.guardian, word.data(), word.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return nullptr;  // the guardian is gone, or the program has closed the socket
    gather_lines();
    while (::recv(output.guardian, word.data(), word.size(), MSG_DONTWAIT) > 0) {
    }
  }
}

bool start_thread() {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are the program's
  pthread_attr_t small;
  ::pthread_attr_init(&small);
  ::pthread_attr_setstacksize(&small, std::size_t{128} << 10);
  ::pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
  pthread_t thread{};
  const int failure = ::pthread_create(&thread, &small, &wait_for_floods, nullptr);
  ::pthread_attr_destroy(&small);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return failure == 0;
}

}  // namespace

void print_by_line(const Environment& environment) {
  if (asked_in(environment) == "full" || !is_pipe_or_socket(STDOUT_FILENO)) return;
  if (__fbufsize(stdout) != 0) return;  // it was used, or a tool such as stdbuf has set one
  set_mode(_IOLBF);
  output.is_set = true;
}

bool gather_fast_lines(const Environment& environment, int guardian) {
  if (!output.is_set || guardian < 0 || asked_in(environment) == "line" || may_print_unlocked())
    return false;
  output.guardian = guardian;
  return start_thread();
}

// The thread above may be writing the same bytes: it gets some time to be done.
void write_last_lines() {
  if (!output.is_set || output.crashes.exchange(true)) return;
  constexpr timespec moment{0, 1'000'000};
  bool is_locked = false;
  for (int i = 0; i < 20 && !is_locked; ++i) {
    is_locked = ::ftrylockfile(stdout) == 0;
    if (!is_locked) ::nanosleep(&moment, nullptr);
  }
  const char* const begin = output.buffer.data();
  const char* const from = stdout->_IO_write_base;
  const char* const to = stdout->_IO_write_ptr;
  if (from < begin || to < from || to > begin + output.buffer.size()) return;
  std::span rest(from, to);
  while (!rest.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (count <= 0) return;
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace gondwana
