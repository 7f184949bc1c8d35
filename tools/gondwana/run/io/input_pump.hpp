// Carries what is typed on the launcher's terminal to the rank that reads it.
//
// A rank cannot read the terminal itself: it is in a process group of its own, so that signals
// reach whole ranks, and only the foreground group may read. Input that is no terminal needs no
// pump.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/unique_fd.hpp"
#include "run/io/poller.hpp"

namespace gondwana::launch {

class InputPump {
 public:
  // `poller` must outlive this.
  explicit InputPump(Poller& poller) : poller_(&poller) {}
  InputPump(const InputPump&) = delete;
  InputPump& operator=(const InputPump&) = delete;

  // Begins; returns the end of a pipe from which the rank reads.
  Result<UniqueFd> start();
  // The rank is gone.
  void stop();

  // To be called once a round: begins to read where the launcher came to the foreground.
  void step();
  std::optional<std::uint64_t> next_ns() const;

 private:
  void read_terminal();
  void write_rank();
  void pause();

  Poller* poller_;
  UniqueFd to_rank_;
  std::string held_;              // read, not yet taken by the rank
  std::uint64_t look_at_ns_ = 0;  // when to see again whether we may read; 0: we are reading
};

}  // namespace gondwana::launch
