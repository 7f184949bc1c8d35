#include "run/io/poller.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gondwana::launch {

bool is_readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

Result<Poller> Poller::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll)
    return Error{Errc::out_of_memory, fmt::format("cannot poll: {}", std::strerror(errno))};
  return Poller(std::move(epoll));
}

Result<void> Poller::watch(int fd, std::uint32_t events, Handler handler) {
  epoll_event entry{};
  entry.events = events;
  entry.data.fd = fd;
  const int operation = handlers_.contains(fd) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (::epoll_ctl(epoll_.get(), operation, fd, &entry) != 0) {
    return Error{Errc::out_of_memory,
                 fmt::format("cannot watch a descriptor: {}", std::strerror(errno))};
  }
  handlers_[fd] = std::move(handler);
  return {};
}

void Poller::forget(int fd) {
  if (handlers_.erase(fd) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

void Poller::wait(int timeout_ms) {
  std::array<epoll_event, 64> ready{};
  const int count = ::epoll_wait(epoll_.get(), ready.data(), ready.size(), timeout_ms);
  for (int i = 0; i < count; ++i) {
    const auto found = handlers_.find(ready.at(static_cast<std::size_t>(i)).data.fd);
    if (found == handlers_.end()) continue;  // removed by an earlier handler
    const Handler handler = found->second;   // a copy, because it may remove itself
    handler();
  }
}

}  // namespace gondwana::launch
