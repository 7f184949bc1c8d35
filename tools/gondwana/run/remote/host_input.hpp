// Our standard input, read for a rank on another host, and no faster than that rank reads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "run/io/poller.hpp"

namespace gondwana::launch {

class HostInput {
 public:
  // Empty text: nothing follows.
  using Send = std::function<void(std::string text)>;

  // `poller` must outlive this.
  explicit HostInput(Poller& poller) : poller_(&poller) {}
  HostInput(const HostInput&) = delete;
  HostInput& operator=(const HostInput&) = delete;

  void start(Send send);
  // Nobody reads any more.
  void stop();
  // The rank has got so many bytes.
  void on_taken(std::uint64_t bytes);

  // To be called once a round.
  void step();
  std::optional<std::uint64_t> next_ns() const;

 private:
  static constexpr std::uint64_t window = std::uint64_t{256} << 10;

  // A terminal may be read in the foreground only; files are always ready and cannot be watched.
  enum class State { off, looking, watching, full };

  void watch();
  void read_some();

  Poller* poller_;
  Send send_;
  State state_ = State::off;
  std::uint64_t look_at_ns_ = 0;
  std::uint64_t under_way_ = 0;
};

}  // namespace gondwana::launch
