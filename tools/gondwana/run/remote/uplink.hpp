// A remote launcher's connection to the launcher that started it: receives orders, sends events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "run/io/poller.hpp"
#include "run/io/rank_input.hpp"
#include "run/job.hpp"
#include "run/remote/frame_link.hpp"
#include "run/remote/remote_output.hpp"

namespace gondwana::launch {

class Uplink {
 public:
  // Gets an End, Signal, Left, Input or NodeRows.
  using OnOrder = std::function<void(Frame& order)>;
  using OnLost = std::function<void(const std::string& sentence)>;  // called once

  // Uses standard input and output. Both arguments must outlive this object.
  Uplink(Poller& poller, const Job& job);

  Result<void> start(OnOrder on_order, OnLost on_lost);

  void tell(const Frame& news) { link_.send(news); }
  // Reports to the launcher the number of bytes that the reading rank has read.
  RankInput::Handlers reports_of_input() {
    return {[this](std::uint64_t bytes) { tell(Taken{bytes}); }, [this] { tell(Deaf{}); }};
  }
  RemoteOutput& output() { return output_; }

  // Call this once per iteration: checks whether the launcher has been silent for too long.
  void step(std::uint64_t now);
  std::optional<std::uint64_t> next_ns() const;

 private:
  void on_frame(Frame& frame, std::uint64_t now);
  void lose(const std::string& sentence);

  const Job& job_;
  OnOrder on_order_;
  OnLost on_lost_;
  FrameLink link_;
  RemoteOutput output_;
};

}  // namespace gondwana::launch
