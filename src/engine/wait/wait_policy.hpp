// How long to look before yielding, and to yield before sleeping.
//
// Spinning is fastest while every rank has a processor. Yielding is fastest where ranks share
// processors with each other, and ruinous where they share them with somebody who computes: a yield
// then lasts a time slice. Sleeping costs a few microseconds whoever is there. So: spin for a
// bounded time, yield while yields come back soon, sleep otherwise, and try yields again later and
// later as long as they disappoint. Where ranks are of different sessions, as under mpiexec.hydra,
// most kernels give the processor to none of them by a yield: then sleep at once.
#pragma once

#include <cstdint>

#include "engine/wait/processors.hpp"

namespace gondwana {

class WaitPolicy {
 public:
  // `spins`: looks before the first yield, 0 to choose them.
  WaitPolicy(const Processors& processors, std::uint32_t spins);

  std::uint32_t spins() const { return spins_; }

  // Looks without a pause at first: the answer is often a cache miss away.
  static constexpr std::uint32_t eager_spins = 256;

  // Yields in a row, of one wait.
  struct Yields {
    std::uint64_t since_ns = 0;  // 0: none yet
    std::uint64_t before_ns = 0;
    bool slow = false;
  };
  // Yields once more; false: it is time to sleep.
  bool yield_once(Yields& yields);
  // Whether they ended by success or by sleep.
  void end(Yields& yields);

 private:
  // Long enough for the slowest of a few dozen sleepers to be woken, one after another: else one
  // rank that slept makes all others sleep, barrier after barrier.
  static constexpr std::uint64_t longest_ns = 500'000;
  // One yield that lasts longer gave the processor to somebody who computes: other ranks that wait
  // give it back within some microseconds each.
  static constexpr std::uint64_t slow_ns = 500'000;
  // In waits one after the other. Once it also happens to who shares a processor with nobody: where
  // the machine is a virtual one, and at the start of a job.
  static constexpr std::uint32_t slow_enough = 2;
  static constexpr std::uint32_t shortest_rest = 128;
  static constexpr std::uint32_t longest_rest = 8192;

  void note(bool slow);

  // Owner of what changes: the thread that waits.
  bool yields_help_;
  std::uint32_t spins_;
  std::uint32_t resting_ = 0;  // waits that go straight to sleep before yields are tried again
  std::uint32_t next_rest_ = shortest_rest;
  std::uint32_t slow_in_a_row_ = 0;
};

}  // namespace gondwana
