// Sends and receives frames over two pipes without blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"
#include "run/io/send_buffer.hpp"
#include "run/remote/frames.hpp"

namespace gondwana::launch {

class FrameLink {
 public:
  // `now`: the time at which the frame was read.
  using OnFrame = std::function<void(Frame& frame, std::uint64_t now)>;
  // The other side has closed the connection, or `why` says why its data is not a frame.
  using OnEnd = std::function<void(const std::string& why)>;

  // `poller` must outlive this object.
  FrameLink(Poller& poller, UniqueFd from, UniqueFd to, std::uint64_t tag);
  FrameLink(const FrameLink&) = delete;
  FrameLink& operator=(const FrameLink&) = delete;
  ~FrameLink() { close(); }

  // Starts calling the two functions; each may close this link.
  Result<void> start(OnFrame on_frame, OnEnd on_end);

  // Does nothing if the other side has gone; on_end() reports that.
  void send(const Frame& frame);
  // The same with an encoded frame, which other links send too.
  void send(std::shared_ptr<const std::string> encoded);
  bool has_sent_all() const { return pending_.is_empty(); }

  // Keeps no memory for data.
  void close();
  bool is_open() const { return static_cast<bool>(from_); }
  // The time at which data last arrived from the other side.
  std::uint64_t heard_ns() const { return heard_ns_; }
  // Data has arrived that has not been read.
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
  bool waits_for_space_ = false;
  std::uint64_t heard_ns_;
};

}  // namespace gondwana::launch
