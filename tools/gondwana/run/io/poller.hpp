// Calls a handler when its descriptor is ready (epoll, level-triggered).
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

// Whether there is something to read right now: a message, an end.
bool is_readable(int fd);

class Poller {
 public:
  // A handler must bear to be called for nothing: its descriptor may have changed hands within one
  // round. It may watch and forget descriptors, its own too.
  using Handler = std::function<void()>;

  static Result<Poller> create();

  // `events` are EPOLLIN and EPOLLOUT; an end or an error counts as either. Watching again changes
  // events and handler.
  Result<void> watch(int fd, std::uint32_t events, Handler handler);
  void forget(int fd);

  // Waits until something is ready or `timeout_ms` have passed (negative: for ever).
  void wait(int timeout_ms);

 private:
  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}

  UniqueFd epoll_;
  std::unordered_map<int, Handler> handlers_;
};

}  // namespace gondwana::launch
