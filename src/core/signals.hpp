// Signals of threads and processes that are ours and not the program's.
#pragma once

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
