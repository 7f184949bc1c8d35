// What guardian and conductor are told from outside: signals that the launcher passes on, the end
// of the launcher, and the end of children.
#pragma once

#include <sys/types.h>

#include <functional>

#include "core/function_ref.hpp"
#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

// A descriptor that is readable when a child has ended. All signals that a terminal or a user sends
// to the whole group are ignored from then on: the launcher gets them too, and passes them on.
Result<UniqueFd> watch_children();
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
  // `poller` must outlive this.
  ProcessEvents(Poller& poller, UniqueFd orders) : poller_(&poller), orders_(std::move(orders)) {}
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  Result<void> start(Handlers handlers);

 private:
  void on_order();

  Poller* poller_;
  UniqueFd orders_;
  UniqueFd children_;
  Handlers handlers_;
};

}  // namespace gondwana::launch
