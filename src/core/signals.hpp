// Signals for threads and processes that belong to Gondwana.
#pragma once

#include <array>
#include <csignal>

namespace gondwana {

// Blocks all signals in the calling thread, and in threads that it starts, during its life: those
// signals belong to the program.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// Restores all signal handlers at its end, so that libraries may install their own meanwhile. No
// other thread may change handlers during that time.
class SignalActionsKept {
 public:
  // sigaction refuses the numbers that the C library reserves, here and below.
  SignalActionsKept() {
    for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, nullptr, &before(signal));
  }
  ~SignalActionsKept() {
    for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &before(signal), nullptr);
  }
  SignalActionsKept(const SignalActionsKept&) = delete;
  SignalActionsKept& operator=(const SignalActionsKept&) = delete;

 private:
  struct sigaction& before(int signal) { return before_[static_cast<std::size_t>(signal)]; }

  std::array<struct sigaction, NSIG> before_{};
};

// For a child between fork and exec: resets all signals to their defaults. Uses system calls only,
// because the parent may have threads.
inline void reset_signals() {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &fresh, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace gondwana
