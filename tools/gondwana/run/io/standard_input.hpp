// Our standard input, read for a rank, and no faster than that rank reads.
//
// A rank cannot read the terminal itself: it is in a process group of its own, so that signals
// reach whole ranks, and only the foreground group may read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "run/io/poller.hpp"

namespace gondwana::launch {

class StandardInput {
 public:
  // Empty text: nothing follows.
  using Send = std::function<void(std::string text)>;

  // Reads on while the rank has yet to take less than `window` bytes. `poller` must outlive this.
  StandardInput(Poller& poller, std::uint64_t window) : poller_(&poller), window_(window) {}
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  void start(Send send);
  // The rank reads no more.
  void stop();
  // The rank has taken that many bytes.
  void on_taken(std::uint64_t bytes);

  // To be called once a round: begins to read when the launcher is in the foreground.
  void step();
  std::optional<std::uint64_t> next_ns() const;

 private:
  // A terminal may be read in the foreground only; files are always ready and cannot be watched.
  enum class State { off, looking, watching, full };

  void watch();
  void read_some();

  Poller* poller_;
  std::uint64_t window_;
  Send send_;
  State state_ = State::off;
  std::uint64_t look_at_ns_ = 0;
  std::uint64_t in_flight_ = 0;  // bytes read that the rank has not taken
};

}  // namespace gondwana::launch
