#include "process/crash.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "process/freeze.hpp"
#include "process/message.hpp"
#include "process/signal_names.hpp"
#include "process/stack.hpp"
#include "process/standard_output.hpp"

namespace gondwana {
namespace {

constexpr std::array crashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

int print_here(int fd) {
  return print_stack(fd, place_of_crash()) ? 0 : 1;
}

// Written before handlers are installed, and by the first thread that crashes.
struct Crash {
  OnCrash wanted;
  int (*print)(int fd) = &print_here;
  std::atomic<bool> failing{false};
  std::atomic<bool> begun{false};
  std::atomic<pthread_t> thread{};
  std::atomic<std::uintptr_t> place{0};
};
constinit Crash crash;

std::uintptr_t place_in(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  return 0 * sizeof(machine);
#endif
}

void tell(int number, const siginfo_t& facts) {
  const bool has_address = facts.si_code > 0 && (number == SIGSEGV || number == SIGBUS);
  if (has_address)
    say("%s: no access to address %p", signal_name(number), facts.si_addr);
  else
    say("%s", signal_name(number));
  if (crash.wanted.freezes) freeze();
  if (crash.wanted.prints_stack) crash.print(STDERR_FILENO);
}

// The instruction that failed is run again, and dies; what another process or raise() has sent
// would not come again.
void die_of(int number, const siginfo_t& facts) {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  ::sigaction(number, &fresh, nullptr);
  if (facts.si_code <= 0) ::raise(number);
}

// One thread tells; others that crash meanwhile wait for the end. A crash in here is the end.
void handle(int number, siginfo_t* facts, void* context) {
  if (!crash.begun.exchange(true)) {
    crash.thread = ::pthread_self();
    crash.place = place_in(context);
    write_last_lines();
    if (!crash.failing) tell(number, *facts);
  } else if (crash.thread != ::pthread_self()) {
    for (;;) ::pause();
  }
  die_of(number, *facts);
}

// Another process has asked for it. The program goes on.
void tell_stack(int /*number*/, siginfo_t* /*facts*/, void* context) {
  const int failure = errno;
  say("its stack, because SIGURG came");
  print_stack(STDERR_FILENO, place_in(context));
  errno = failure;
}

// Signals that have a handler are left alone.
void handle_by_default(int number, void (*handler)(int, siginfo_t*, void*), unsigned flags) {
  struct sigaction present{};
  ::sigaction(number, nullptr, &present);
  if (present.sa_handler != SIG_DFL) return;
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | flags);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

// Never given back: a handler may run until the process is gone.
void give_handlers_a_stack() {
  constexpr std::size_t size = std::size_t{256} << 10;
  stack_t present{};
  if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = size};
  ::sigaltstack(&stack, nullptr);
}

}  // namespace

void catch_crashes(OnCrash what) {
  crash.wanted = what;
  if (what.prints_stack) prepare_stack();
  give_handlers_a_stack();
  for (const int number : crashes) handle_by_default(number, &handle, SA_NODEFER);
  if (what.prints_stack) handle_by_default(SIGURG, &tell_stack, SA_RESTART);
}

void print_crashes_by(int (*print)(int fd)) {
  crash.print = print;
}

void note_failure() {
  crash.failing = true;
}

std::uintptr_t place_of_crash() {
  return crash.place;
}

}  // namespace gondwana
