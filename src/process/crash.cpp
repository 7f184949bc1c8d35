#include "process/crash.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "process/freeze.hpp"
#include "process/message.hpp"
#include "process/program_place.hpp"
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
  pid_t rank = 0;  // its process
  int (*print)(int fd) = &print_here;
  std::atomic<bool> failing{false};
  std::atomic<bool> begun{false};
  std::atomic<bool> told{false};
  std::atomic<pthread_t> thread{};
  std::atomic<std::uintptr_t> place{0};
  int number = 0;
  siginfo_t facts{};
  bool ran_over = false;  // its stack
};
constinit Crash crash;

bool is_code(std::uintptr_t address) {
  Dl_info info{};
  return ::dladdr(reinterpret_cast<const void*>(address), &info) != 0;
}

// The program's address at the signal. After a call to an invalid address it is the caller's
// address.
std::uintptr_t place_in(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto place = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
  if (is_code(place)) return place;
  return *reinterpret_cast<const std::uintptr_t*>(machine.gregs[REG_RSP]) - 1;
#elif defined(__aarch64__)
  return is_code(machine.pc) ? machine.pc : machine.regs[30] - 4;
#else
  return 0 * sizeof(machine);
#endif
}

// A function touches its variables on entry. They begin at the stack pointer.
bool is_beyond_stack(const siginfo_t& facts, const void* context) {
  constexpr std::uintptr_t near = 64 << 10;
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto stack = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  const std::uintptr_t stack = machine.sp;
#else
  const std::uintptr_t stack = 0 * sizeof(machine);
#endif
  return facts.si_code > 0 &&
         reinterpret_cast<std::uintptr_t>(facts.si_addr) - (stack - near) < near + 4096;
}

// The failed instruction runs again and raises the signal again. A signal from another process or
// from raise() would not come again.
void die_of(int number, const siginfo_t& facts) {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  ::sigaction(number, &fresh, nullptr);
  if (facts.si_code <= 0) ::raise(number);
}

// The handler itself crashed, or took too long: the process ends by the first crash.
void die_of_first(int /*number*/) {
  ::signal(crash.number, SIG_DFL);
  ::raise(crash.number);
}

// Stopped threads may hold a lock of the loader while a stack is read.
class Watchdog {
 public:
  Watchdog() {
    struct sigaction action{};
    action.sa_handler = &die_of_first;
    ::sigaction(SIGALRM, &action, nullptr);
    sigset_t alarm_only;
    ::sigemptyset(&alarm_only);
    ::sigaddset(&alarm_only, SIGALRM);
    ::pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
    ::alarm(seconds);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() { ::alarm(0); }

 private:
  static constexpr unsigned seconds = 20;
};

void tell(const char* place, const char* called) {
  if (crash.told.exchange(true)) return;
  const int number = crash.number;
  const char* whose = ::getpid() != crash.rank ? "a child process that it forked: " : "";
  const char* over = crash.ran_over ? ", the stack overflowed (see ulimit -s)" : "";
  const char* comma = *place != '\0' ? ", " : "";
  const char* which = *called != '\0' ? ", which called " : "";
  if (crash.facts.si_code > 0 && (number == SIGSEGV || number == SIGBUS)) {
    const bool is_told = crash.wanted.describe_address != nullptr;
    const char* what = is_told ? crash.wanted.describe_address(crash.facts.si_addr) : "";
    say("%s%s: no access to address %p%s%s%s%s%s%s", whose, signal_name(number),
        crash.facts.si_addr, what, over, comma, place, which, called);
  } else {
    say("%s%s%s%s%s%s", whose, signal_name(number), comma, place, which, called);
  }
}

void tell_place() {
  const Watchdog watchdog;
  ProgramPlace place;
  const bool is_known = find_program_place(place, crash.place);
  tell(is_known ? place.text.data() : "", is_known ? place.called.data() : "");
}

void print_frames() {
  const Watchdog watchdog;
  if (crash.wanted.stack == Backtrace::full)
    crash.print(STDERR_FILENO);
  else
    print_program_frames(STDERR_FILENO, crash.place);
}

void tell_all() {
  if (crash.wanted.stack != Backtrace::none) tell_place();
  tell("", "");
  if (crash.wanted.freezes) freeze();
  if (crash.wanted.stack != Backtrace::none) print_frames();
}

// One thread prints; others that crash meanwhile wait for the end. If this handler crashes, the
// process ends.
void handle(int number, siginfo_t* facts, void* context) {
  if (!crash.begun.exchange(true)) {
    crash.thread = ::pthread_self();
    crash.number = number;
    crash.facts = *facts;
    crash.ran_over = number == SIGSEGV && is_beyond_stack(*facts, context);
    crash.place = place_in(context);
    if (::getpid() == crash.rank) write_last_lines();
    if (!crash.failing) tell_all();
  } else if (crash.thread != ::pthread_self()) {
    for (;;) ::pause();
  } else {
    if (!crash.failing) tell("", "");
    return die_of_first(number);
  }
  die_of(number, *facts);
}

// Another process asked for the stacks. The program continues.
void tell_stack(int /*number*/, siginfo_t* /*facts*/, void* context) {
  const int failure = errno;
  say("its stack, because it received SIGURG");
  print_stack(STDERR_FILENO, place_in(context));
  errno = failure;
}

// Handlers of Fortran and of Open MPI print a stack without the rank, often without lines, and then
// let the process die.
bool only_prints(const struct sigaction& present) {
  constexpr std::array runtimes{"/libgfortran.so", "/libopen-pal.so"};
  Dl_info info{};
  if (present.sa_handler == SIG_IGN || present.sa_handler == SIG_DFL) return false;
  if (::dladdr(reinterpret_cast<const void*>(present.sa_handler), &info) == 0) return false;
  const std::string_view file = info.dli_fname;
  return std::ranges::any_of(
      runtimes, [file](const char* name) { return file.find(name) != std::string_view::npos; });
}

// Signals that the program handles are left alone.
void handle_by_default(int number, void (*handler)(int, siginfo_t*, void*), unsigned flags) {
  struct sigaction present{};
  ::sigaction(number, nullptr, &present);
  const bool tells_more = crash.wanted.stack != Backtrace::none && only_prints(present);
  if (present.sa_handler != SIG_DFL && !tells_more) return;
  struct sigaction action{};
  action.sa_sigaction = handler;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | flags);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

// Never freed: a handler may run until the process is gone.
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
  crash.rank = ::getpid();
  if (what.stack == Backtrace::full) prepare_stack();
  give_handlers_a_stack();
  for (const int number : crashes) handle_by_default(number, &handle, SA_NODEFER);
  if (what.stack == Backtrace::full) handle_by_default(SIGURG, &tell_stack, SA_RESTART);
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
