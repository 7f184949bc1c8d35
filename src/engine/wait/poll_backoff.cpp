#include "engine/wait/poll_backoff.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <ctime>
#include <utility>

#include "core/machine.hpp"

namespace gondwana {
namespace {

std::uint64_t ns_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

// Whether this thread has lost its processor since the last look, and others of the process have
// computed for a quarter of the time.
void PollBackoff::look_for_own_threads() {
  constexpr std::uint64_t shortest_ns = 2'000'000;
  constexpr std::uint64_t part = 4;
  if (failed_ >= max_failed) failed_ = max_in_a_row;
  limit_ = failed_ + polls_per_look;
  const std::uint64_t now = monotonic_ns();
  const std::uint64_t passed_ns = now - last_use_.at_ns;
  if (passed_ns < shortest_ns) return;
  rusage thread{};
  ::getrusage(RUSAGE_THREAD, &thread);
  const Use before = std::exchange(
      last_use_, {now, ns_of(CLOCK_PROCESS_CPUTIME_ID) - ns_of(CLOCK_THREAD_CPUTIME_ID),
                  static_cast<std::uint64_t>(thread.ru_nivcsw)});
  const std::uint64_t others_ns = last_use_.others_ns - before.others_ns;
  if (before.at_ns == 0 || last_use_.losses == before.losses || others_ns < passed_ns / part)
    return;
  failed_ = 0;
  share(min_polls);
}

void PollBackoff::give_way() {
  if (!shares_) return look_for_own_threads();
  failed_ = 0;
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
