#include "run/io/input_pump.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t look_again_ns = 500'000'000;

}  // namespace

Result<UniqueFd> InputPump::start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{Errc::out_of_memory, fmt::format("cannot make a pipe for the standard input: {}",
                                                  std::strerror(errno))};
  }
  to_rank_ = UniqueFd(ends[1]);
  ::fcntl(to_rank_.get(), F_SETFL, O_NONBLOCK);
  look_at_ns_ = monotonic_ns();
  return UniqueFd(ends[0]);
}

void InputPump::stop() {
  if (!to_rank_) return;
  poller_->forget(STDIN_FILENO);
  poller_->forget(to_rank_.get());
  to_rank_.reset();
}

// Reading in the background would fail; being ready it would be tried without end.
void InputPump::pause() {
  poller_->forget(STDIN_FILENO);
  look_at_ns_ = monotonic_ns() + look_again_ns;
}

void InputPump::step() {
  if (!to_rank_ || look_at_ns_ == 0 || monotonic_ns() < look_at_ns_) return;
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return pause();
  look_at_ns_ = 0;
  if (!poller_->watch(STDIN_FILENO, EPOLLIN, [this] { read_terminal(); })) stop();
}

std::optional<std::uint64_t> InputPump::next_ns() const {
  return to_rank_ && look_at_ns_ != 0 ? std::optional(look_at_ns_) : std::nullopt;
}

void InputPump::read_terminal() {
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return pause();
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) return stop();
  held_.append(buffer.data(), static_cast<std::size_t>(count));
  poller_->forget(STDIN_FILENO);
  write_rank();
}

// Goes on reading only when the rank has taken everything.
void InputPump::write_rank() {
  const ssize_t count = ::write(to_rank_.get(), held_.data(), held_.size());
  if (count < 0 && errno != EAGAIN) return stop();
  if (count > 0) held_.erase(0, static_cast<std::size_t>(count));
  if (held_.empty()) {
    poller_->forget(to_rank_.get());
    look_at_ns_ = monotonic_ns();
    step();
  } else if (!poller_->watch(to_rank_.get(), EPOLLOUT, [this] { write_rank(); })) {
    stop();
  }
}

}  // namespace gondwana::launch
