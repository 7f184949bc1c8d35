// Blocks the signals that a user sends to `gondwana top`, and polls for them.
//
// The thread that displays something takes signals between two steps, so it can restore the
// terminal or close the port before it ends.
#pragma once

#include <csignal>
#include <initializer_list>

namespace gondwana::top {

class Signals {
 public:
  // Also blocks them in threads that start later. A signal that was ignored stays ignored.
  explicit Signals(std::initializer_list<int> numbers);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // Returns a pending signal, or 0.
  int take() const;

 private:
  sigset_t taken_{};
  sigset_t before_{};
};

// Performs the signal's default action: ends the process, or stops it until SIGCONT.
void take_default_action(int signal);

}  // namespace gondwana::top
