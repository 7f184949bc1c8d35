// Frames both ways over two pipes, without ever blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/io/send_buffer.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

class FrameLink {
 public:
  using OnFrame = std::function<void(Frame& frame)>;
  // The other side is gone, or `why` what it said is no frame.
  using OnEnd = std::function<void(const std::string& why)>;

  // `poller` must outlive this.
  FrameLink(Poller& poller, UniqueFd from, UniqueFd to, std::uint64_t tag);
  FrameLink(const FrameLink&) = delete;
  FrameLink& operator=(const FrameLink&) = delete;
  ~FrameLink() { close(); }

  // Calls the two from now on; each may close this.
  Result<void> start(OnFrame on_frame, OnEnd on_end);

  // Where the other side is gone this does nothing: on_end() tells.
  void send(const Frame& frame);
  bool has_sent_all() const { return pending_.is_empty(); }

  void close();
  bool is_open() const { return static_cast<bool>(from_); }
  // When the other side last said something.
  std::uint64_t heard_ns() const { return heard_ns_; }
  // It has said something that waits to be read.
  bool has_unread() const { return is_open() && is_readable(from_.get()); }

 private:
  void on_readable();
  void take_frames();
  void end(const std::string& why);
  void flush();

  Poller* poller_;
  UniqueFd from_;
  UniqueFd to_;
  std::uint64_t tag_;
  FrameParser parser_;
  OnFrame on_frame_;
  OnEnd on_end_;
  SendBuffer pending_;
  bool waits_for_room_ = false;
  std::uint64_t heard_ns_;
};

}  // namespace gondwana::launch
