#include "run/io/standard_input.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "core/machine.hpp"

namespace gondwana::launch {
namespace {

constexpr std::uint64_t input_check_ns = 500'000'000;

bool is_in_background() {
  return ::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) != ::getpgrp();
}

}  // namespace

void StandardInput::start(Send send) {
  send_ = std::move(send);
  state_ = State::looking;
}

void StandardInput::stop() {
  poller_->forget(STDIN_FILENO);
  state_ = State::off;
}

void StandardInput::on_taken(std::uint64_t bytes) {
  in_flight_ -= std::min(bytes, in_flight_);
  if (state_ == State::full && in_flight_ < window_) state_ = State::looking;
}

void StandardInput::step() {
  if (state_ == State::looking && monotonic_ns() >= next_look_ns_) watch();
}

std::optional<std::uint64_t> StandardInput::next_ns() const {
  return state_ == State::looking ? std::optional(next_look_ns_) : std::nullopt;
}

void StandardInput::watch() {
  if (is_in_background()) {
    next_look_ns_ = monotonic_ns() + input_check_ns;
  } else if (poller_->watch(STDIN_FILENO, EPOLLIN, [this] { read_some(); })) {
    state_ = State::watching;
  } else {
    read_some();  // a file: read again in the next iteration
  }
}

void StandardInput::read_some() {
  // A read in the background would fail, and the ready descriptor would be tried forever.
  if (is_in_background()) {
    poller_->forget(STDIN_FILENO);
    state_ = State::looking;
    next_look_ns_ = monotonic_ns() + input_check_ns;
    return;
  }
  // Allocated because the stack may be small.
  const auto buffer = std::make_unique_for_overwrite<std::array<char, 32768>>();
  const ssize_t count = ::read(STDIN_FILENO, buffer->data(), buffer->size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    stop();
    return send_("");
  }
  in_flight_ += static_cast<std::uint64_t>(count);
  if (in_flight_ >= window_) {
    poller_->forget(STDIN_FILENO);
    state_ = State::full;
  }
  send_(std::string(buffer->data(), static_cast<std::size_t>(count)));
}

}  // namespace gondwana::launch
