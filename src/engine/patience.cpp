#include "engine/patience.hpp"

#include <sched.h>

#include <algorithm>

#include "core/machine.hpp"

namespace gondwana {

Patience::Patience(std::uint32_t ranks_here, std::uint32_t processors, std::uint32_t spins)
    : spins_(spins) {
  // Looks of some 30 to 50 ns each once they pause: about 60 us where there is a processor for
  // every rank, about nothing where the rank waited for may need this one.
  constexpr std::uint32_t roomy = 1500;
  constexpr std::uint32_t crowded = 20;
  if (spins_ == 0) spins_ = ranks_here <= processors ? roomy : crowded;
}

bool Patience::yield_until(FunctionRef<bool()> done) {
  if (resting_ > 0) {
    --resting_;
    return done();
  }
  const std::uint64_t start = monotonic_ns();
  bool finished = false;
  bool slow = false;
  for (std::uint32_t i = 1; i <= most_yields && !finished && !slow; ++i) {
    ::sched_yield();
    finished = done();
    // The clock costs a fraction of a yield; a long wait is noticed at the next look.
    if (i % 8 == 0 || finished) slow = monotonic_ns() - start > slow_ns;
  }
  if (slow) {
    resting_ = next_rest_;
    next_rest_ = std::min(next_rest_ * 2, longest_rest);
  } else if (next_rest_ > shortest_rest) {
    --next_rest_;
  }
  return finished;
}

}  // namespace gondwana
