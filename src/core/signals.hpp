// Signals of threads and processes that are ours and not the program's.
#pragma once

#include <array>
#include <csignal>

namespace gondwana {

// While it lives the calling thread, and threads that it starts, take no signals: those are meant
// for the program.
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

// While it lives, libraries of others may have signals handled in their own way; afterwards signals
// do what they did before. No other thread may change that meanwhile.
class SignalActionsKept {
 public:
  // Numbers that the C library keeps for itself are refused, here and there.
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

// In a child between fork and exec: all signals do what they do in a fresh process. System calls
// only, for the parent may have had threads.
inline void reset_signals() {
  struct sigaction fresh{};
  fresh.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &fresh, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace gondwana
