#include "run/remote/remote_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gondwana::launch {

Result<UniqueFd> RemoteInput::start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{Errc::out_of_memory, fmt::format("cannot make a pipe for the standard input: {}",
                                                  std::strerror(errno))};
  }
  to_rank_ = UniqueFd(ends[1]);
  ::fcntl(to_rank_.get(), F_SETFL, O_NONBLOCK);
  return UniqueFd(ends[0]);
}

void RemoteInput::add(std::string_view text) {
  if (!to_rank_) return;
  if (text.empty()) ended_ = true;
  held_ += text;
  write_rank();
}

void RemoteInput::stop() {
  if (!to_rank_) return;
  forget();
  link_->send(Deaf{});
}

void RemoteInput::forget() {
  poller_->forget(to_rank_.get());
  to_rank_.reset();
  held_.clear();
}

void RemoteInput::write_rank() {
  const ssize_t count = held_.empty() ? 0 : ::write(to_rank_.get(), held_.data(), held_.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) return stop();
  if (count > 0) {
    held_.erase(0, static_cast<std::size_t>(count));
    link_->send(Taken{static_cast<std::uint64_t>(count)});
  }
  if (held_.empty()) {
    poller_->forget(to_rank_.get());
    if (ended_) forget();
  } else if (!poller_->watch(to_rank_.get(), EPOLLOUT, [this] { write_rank(); })) {
    stop();
  }
}

}  // namespace gondwana::launch
