// Limits the processor time of polls that find nothing. If ranks share processors, a program that
// only polls keeps the processor from the rank that it waits for. Every nonblocking call, of any
// door, reports its result to the PollBackoff of its thread.
//
// If each rank has a processor, polls do not yield. Otherwise a loop of polls spins briefly, as a
// wait does, then yields at each poll; waiting ranks return the processor within a microsecond.
// After many yields without success the loop yields by time, so that long polling costs little. It
// also does so after a long yield, because then another process computes. A program that computes
// between its polls hardly yields.
#pragma once

#include <cstdint>

namespace gondwana {

class PollBackoff {
 public:
  // Never yields.
  constexpr PollBackoff() = default;
  // Yields after `polled` failed polls.
  static constexpr PollBackoff after(std::uint32_t polled) {
    PollBackoff polls;
    polls.share(polled);
    return polls;
  }
  constexpr void share(std::uint32_t polled) {
    if (polls_ == never) polls_ = limit_ = polled < min_polls ? min_polls : polled;
  }

  void found() {
    failed_ = 0;
    limit_ = polls_;
  }
  // `polls`: the number of polls that one call reports.
  void failed(std::uint32_t polls = 1) {
    failed_ += polls;
    if (failed_ >= limit_) [[unlikely]]
      give_way();
  }
  // Whether a loop has found nothing for long, and no longer yields at each poll.
  bool is_long() const {
    return polls_ == never ? failed_ >= max_in_a_row : limit_ == polls_per_clock;
  }
  // For calls that return a value and do not know the condition that the program waits for. A
  // repeated value at the same address counts as a failed poll.
  void fetched(const void* place, std::uint64_t value, std::uint32_t polls = 1) {
    if (place == place_ && value == value_) return failed(polls);
    place_ = place;
    value_ = value;
    found();
  }

  // The number of yields so far.
  std::uint64_t yields() const { return yields_; }

 private:
  static constexpr std::uint32_t never = ~0U;
  static constexpr std::uint32_t min_polls = 2;  // more than each_poll
  static constexpr std::uint32_t each_poll = 1;
  // Ranks that share a processor need one yield each per turn. This suffices for a few hundred
  // ranks.
  static constexpr std::uint32_t max_in_a_row = 256;
  static constexpr std::uint64_t interval_ns = 50'000;
  static constexpr std::uint32_t polls_per_clock = 16;
  // The longest time between two polls of a pure polling loop, including polls of the wire.
  static constexpr std::uint64_t longest_gap_ns = 20'000;
  static constexpr std::uint64_t slow_ns = 500'000;

  void give_way();
  void yield(std::uint64_t now_ns);

  // Owned by the thread that polls.
  std::uint32_t failed_ = 0;         // since the last yield or success
  std::uint32_t limit_ = never;      // failed polls before give_way()
  std::uint32_t polls_ = never;      // the first limit of a loop
  std::uint32_t in_a_row_ = 0;       // yields of this loop
  std::uint64_t last_yield_ns_ = 0;  // the end of the last yield
  std::uint64_t yields_ = 0;
  const void* place_ = nullptr;
  std::uint64_t value_ = 0;
};

}  // namespace gondwana
