// What guardian and conductor are told from outside: signals that the launcher passes on, the end
// of the launcher, and the end of children.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <vector>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/heard_signals.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

// A descriptor that is readable when a child has ended, or one of the signals `also` has come. All
// others that a terminal or a user sends to the whole group are ignored from then on: the launcher
// gets them too, and passes them on.
Result<UniqueFd> watch_children(const sigset_t* also = nullptr);
// Forgets what the descriptor has told.
void clear(const UniqueFd& children);
// Calls on_ended(pid, wait_status) for each child that has ended.
void reap_children(FunctionRef<void(pid_t pid, int wait_status)> on_ended);

class ProcessEvents {
 public:
  struct Handlers {
    std::function<void(int signal)> on_signal;
    std::function<void()> on_launcher_lost;  // once
    std::function<void(pid_t pid, int wait_status)> on_child_ended;
  };

  // `orders` is a pipe from the launcher. Each byte is a signal; its end is the launcher's.
  // INT, TERM or HUP that are sent to this process count as well.
  // `poller` must outlive this.
  ProcessEvents(Poller& poller, UniqueFd orders) : poller_(&poller), orders_(std::move(orders)) {}
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  using Way = HeardSignals::Way;

  Result<void> start(Handlers handlers);
  bool counts(int signal, Way way) { return heard_.counts(signal, way); }

  // For a handler that takes long: whether a signal that counts, or the end of the launcher, has
  // come. It is kept, and told by tell_held().
  bool hold();
  void tell_held();

 private:
  void on_signals();
  void read_signals();
  void on_order();
  void take(int signal, Way way);

  Poller* poller_;
  UniqueFd orders_;
  UniqueFd children_;
  Handlers handlers_;
  HeardSignals heard_;
  bool holds_ = false;
  bool has_read_children_ = false;  // while it held
  std::vector<std::function<void()>> held_;
};

}  // namespace gondwana::launch
