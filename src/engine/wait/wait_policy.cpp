#include "engine/wait/wait_policy.hpp"

#include <sched.h>

#include <algorithm>

#include "core/machine.hpp"
#include "sync/atomics.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {

WaitPolicy::WaitPolicy(const Processors& processors, std::uint32_t spins)
    : yields_help_(processors.yields_help),
      spins_(spins),
      untraced_spins_(1),
      slow_ns_(shortest_slow_ns + processors.ranks_each * slow_ns_each),
      longest_ns_(std::max(longest_ns, processors.ranks_each * longest_ns_each)),
      never_rests_(processors.ranks_each >= many_ranks) {
  // A poll with a pause takes 30 to 50 ns. So a rank spins for about 60 us if every rank has a
  // processor, and hardly at all if the awaited rank may need this processor.
  constexpr std::uint32_t usual = 1500;
  constexpr std::uint32_t oversubscribed = 20;
  if (spins_ == 0) spins_ = processors.is_oversubscribed ? oversubscribed : usual;
  if (!Tracer::is_on()) untraced_spins_ = spins_;
}

void WaitPolicy::note(bool late) {
  if (never_rests_) return;
  if (!late) {
    if (lateness_ > 0) --lateness_;
    if (lateness_ == 0) next_rest_ = shortest_rest;
    return;
  }
  lateness_ += late_weight;
  if (lateness_ < max_lateness) return;
  lateness_ = max_lateness - late_weight;  // after the rest, one late wait is enough
  resting_ = next_rest_;
  next_rest_ = std::min(next_rest_ * 4, longest_rest);
}

bool WaitPolicy::yield_once(Yields& yields) {
  if (!yields_help_) return false;
  if (yields.since_ns == 0) {
    if (resting_ > 0) {
      --resting_;
      return false;
    }
    yields.since_ns = yields.before_ns = monotonic_ns();
  }
  if (yields.before_ns - yields.since_ns >= longest_ns_) return false;
  ::sched_yield();
  const std::uint64_t now = monotonic_ns();
  yields.slow_since_ns = now - yields.before_ns > slow_ns_ ? yields.before_ns : 0;
  yields.before_ns = now;
  return true;
}

void WaitPolicy::end(Yields& yields, bool came_late) {
  if (yields.since_ns != 0) note(came_late);
  yields = {};
}

}  // namespace gondwana
