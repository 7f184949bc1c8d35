#include "run/remote/frame_link.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/pipe.hpp"
#include "core/machine.hpp"

namespace gondwana::launch {

FrameLink::FrameLink(Poller& poller, UniqueFd from, UniqueFd to, std::uint64_t tag)
    : poller_(&poller),
      from_(std::move(from)),
      to_(std::move(to)),
      tag_(tag),
      parser_(tag),
      heard_ns_(monotonic_ns()) {
  make_non_blocking(from_);
  make_non_blocking(to_);
}

Result<void> FrameLink::start(OnFrame on_frame, OnEnd on_end) {
  on_frame_ = std::move(on_frame);
  on_end_ = std::move(on_end);
  return poller_->watch(from_.get(), EPOLLIN, [this] { on_readable(); });
}

void FrameLink::on_readable() {
  // Allocated because the stack may be small.
  const auto buffer = std::make_unique_for_overwrite<std::array<char, 65536>>();
  const ssize_t count = ::read(from_.get(), buffer->data(), buffer->size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return end("");
  heard_ns_ = monotonic_ns();
  parser_.add({buffer->data(), static_cast<std::size_t>(count)});
  take_frames();
}

void FrameLink::take_frames() {
  while (is_open()) {
    Result<std::optional<Frame>> frame = parser_.next();
    if (!frame) return end(frame.error().text);
    if (!*frame) return;
    on_frame_(**frame, heard_ns_);
  }
}

void FrameLink::end(const std::string& why) {
  close();
  on_end_(why);
}

void FrameLink::close() {
  if (from_) poller_->forget(from_.get());
  if (to_) poller_->forget(to_.get());
  from_.reset();
  to_.reset();
  parser_ = FrameParser(tag_);
  pending_ = {};
}

void FrameLink::send(const Frame& frame) {
  if (!to_) return;
  pending_.append(encode(frame, tag_));
  if (!waits_for_space_) flush();
}

void FrameLink::send(std::shared_ptr<const std::string> encoded) {
  if (!to_) return;
  pending_.append(std::move(encoded));
  if (!waits_for_space_) flush();
}

void FrameLink::flush() {
  if (!to_) return;
  const int failure = pending_.flush(
      [this](std::string_view bytes) { return ::write(to_.get(), bytes.data(), bytes.size()); });
  if (failure != 0) {
    poller_->forget(to_.get());
    return to_.reset();
  }
  const bool wait = !has_sent_all();
  if (wait == waits_for_space_) return;
  waits_for_space_ =
      wait && static_cast<bool>(poller_->watch(to_.get(), EPOLLOUT, [this] { flush(); }));
  if (!wait) poller_->forget(to_.get());
}

}  // namespace gondwana::launch
