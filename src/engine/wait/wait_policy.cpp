#include "engine/wait/wait_policy.hpp"

#include <sched.h>

#include <algorithm>

#include "core/machine.hpp"
#include "sync/atomics.hpp"

namespace gondwana {

WaitPolicy::WaitPolicy(const Processors& processors, std::uint32_t spins)
    : yields_help_(processors.yields_help), spins_(spins) {
  // Looks of some 30 to 50 ns each once they pause: about 60 us where there is a processor for
  // every rank, about nothing where the rank waited for may need this one.
  constexpr std::uint32_t roomy = 1500;
  constexpr std::uint32_t crowded = 20;
  if (spins_ == 0) spins_ = processors.roomy ? roomy : crowded;
}

bool WaitPolicy::spin_until(FunctionRef<bool()> done) const {
  for (std::uint32_t i = 0; i < spins_; ++i) {
    if (done()) return true;
    if (i >= eager_spins) relax();
  }
  return false;
}

bool WaitPolicy::yields_on(std::uint64_t since_ns) {
  if (!yields_help_) return false;
  const std::uint64_t before = monotonic_ns();
  if (before - since_ns >= longest_ns) return false;
  ::sched_yield();
  return monotonic_ns() - before < slow_ns;
}

void WaitPolicy::note(bool slow) {
  if (!slow) {
    slow_in_a_row_ = 0;
    next_rest_ = std::max(next_rest_ / 2, shortest_rest);
  } else if (++slow_in_a_row_ == slow_enough) {
    slow_in_a_row_ = 0;
    resting_ = next_rest_;
    next_rest_ = std::min(next_rest_ * 2, longest_rest);
  }
}

bool WaitPolicy::yield_until(FunctionRef<bool()> done) {
  if (!yields_help_) return done();
  if (resting_ > 0) {
    --resting_;
    return done();
  }
  bool finished = false;
  bool slow = false;
  const std::uint64_t start = monotonic_ns();
  for (std::uint64_t before = start; !finished && !slow && before - start < longest_ns;) {
    ::sched_yield();
    finished = done();
    const std::uint64_t now = monotonic_ns();
    slow = now - before > slow_ns;
    before = now;
  }
  note(slow);
  return finished;
}

}  // namespace gondwana
