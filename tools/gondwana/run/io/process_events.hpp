// Events that guardian and conductor receive: signals forwarded by the launcher, the end of the
// launcher, and the end of children.
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

// Returns a descriptor that is readable once a child has ended or one of the signals in `also` has
// arrived. Other signals that a terminal or a user sends to the whole group are ignored from now
// on: the launcher receives and forwards them.
Result<UniqueFd> watch_children(const sigset_t* also = nullptr);
// Discards the pending notifications.
void clear(const UniqueFd& children);
// Calls on_ended(pid, wait_status) for each child that has ended.
void reap_children(FunctionRef<void(pid_t pid, int wait_status)> on_ended);

class ProcessEvents {
 public:
  struct Handlers {
    std::function<void(int signal)> on_signal;
    std::function<void()> on_launcher_lost;  // called once
    std::function<void(pid_t pid, int wait_status)> on_child_ended;
  };

  // `orders` is a pipe from the launcher: each byte is a signal, and its end is the launcher's end.
  // INT, TERM and HUP sent to this process count too. `poller` must outlive this object.
  ProcessEvents(Poller& poller, UniqueFd orders) : poller_(&poller), orders_(std::move(orders)) {}
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  using Way = HeardSignals::Way;

  Result<void> start(Handlers handlers);
  bool counts(int signal, Way way) { return heard_.counts(signal, way); }

  // Called by a handler that takes long: returns whether a signal that counts, or the launcher's
  // end, has arrived. It is kept until deliver_held().
  bool hold();
  void deliver_held();

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
  bool has_read_children_ = false;  // while hold() was called
  std::vector<std::function<void()>> held_;
};

}  // namespace gondwana::launch
