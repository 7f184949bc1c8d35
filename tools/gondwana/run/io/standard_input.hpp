// Reads our standard input for a rank, no faster than the rank reads.
//
// A rank cannot read the terminal itself. Only the foreground group may read, and each rank has a
// process group of its own, so that signals reach all its processes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "run/io/poller.hpp"

namespace gondwana::launch {

class StandardInput {
 public:
  // An empty text is the end of the input.
  using Send = std::function<void(std::string text)>;

  // Reads while less than `window` bytes are waiting for the rank. `poller` must outlive this
  // object.
  StandardInput(Poller& poller, std::uint64_t window) : poller_(&poller), window_(window) {}
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  void start(Send send);
  // The rank has closed its input.
  void stop();
  // The rank has read this number of bytes.
  void on_taken(std::uint64_t bytes);

  // Call this once per iteration: starts reading when the launcher is in the foreground.
  void step();
  std::optional<std::uint64_t> next_ns() const;

 private:
  // A terminal may be read only in the foreground. Files are always ready and cannot be polled.
  enum class State { off, looking, watching, full };

  void watch();
  void read_some();

  Poller* poller_;
  std::uint64_t window_;
  Send send_;
  State state_ = State::off;
  std::uint64_t next_look_ns_ = 0;
  std::uint64_t in_flight_ = 0;  // bytes read here that the rank has not read yet
};

}  // namespace gondwana::launch
