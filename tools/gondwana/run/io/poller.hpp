// Calls a handler when its descriptor is ready (epoll, level-triggered).
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "core/result.hpp"
#include "core/unique_fd.hpp"

namespace gondwana::launch {

// Whether a read would not block, because of data or an end of file.
bool is_readable(int fd);

class Poller {
 public:
  // A handler may be called without cause, because its descriptor may have been reused within one
  // iteration. It may watch and forget descriptors, including its own.
  using Handler = std::function<void()>;

  static Result<Poller> create();

  // `events` are EPOLLIN and EPOLLOUT; an end or an error triggers either. A second call changes
  // events and handler.
  Result<void> watch(int fd, std::uint32_t events, Handler handler);
  void forget(int fd);

  // Waits until a descriptor is ready or `timeout_ms` have passed (negative: no limit).
  void wait(int timeout_ms);

 private:
  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}

  UniqueFd epoll_;
  std::unordered_map<int, Handler> handlers_;
};

}  // namespace gondwana::launch
