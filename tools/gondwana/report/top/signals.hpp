// Signals that a user sends to `gondwana top`: blocked, and asked for.
//
// The thread that shows something takes them between two steps, and leaves the terminal or the port
// as it has to be before it ends.
#pragma once

#include <csignal>
#include <initializer_list>

namespace gondwana::top {

class Signals {
 public:
  // In threads that start later, too. A signal that the caller has chosen to ignore stays ignored.
  explicit Signals(std::initializer_list<int> numbers);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  // One that has come, or 0.
  int take() const;

 private:
  sigset_t taken_{};
  sigset_t before_{};
};

// What the signal does to a process that has not blocked it: ends it, or stops it until SIGCONT.
void obey(int signal);

}  // namespace gondwana::top
