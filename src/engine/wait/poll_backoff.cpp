#include "engine/wait/poll_backoff.hpp"

#include <sched.h>

#include "core/machine.hpp"

namespace gondwana {

void PollBackoff::give_way() {
  failed_ = 0;
  if (polls_ == never) return;
  const std::uint64_t now = monotonic_ns();
  if (limit_ == polls_) {
    in_a_row_ = 0;
    limit_ = each_poll;
    return yield(now);
  }
  const std::uint64_t since = now - last_yield_ns_;
  if (limit_ == each_poll && since > longest_gap_ns) {
    limit_ = polls_;
    return;
  }
  if (limit_ == each_poll || since >= interval_ns) yield(now);
}

void PollBackoff::yield(std::uint64_t now_ns) {
  ::sched_yield();
  ++yields_;
  last_yield_ns_ = monotonic_ns();
  if (++in_a_row_ >= max_in_a_row || last_yield_ns_ - now_ns > slow_ns) limit_ = polls_per_clock;
}

}  // namespace gondwana
