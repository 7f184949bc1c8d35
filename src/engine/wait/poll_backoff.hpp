// What a poll that finds nothing does with the processor. A program that only polls keeps it from
// the rank it waits for, where ranks share processors. Every call that looks without waiting, of
// either door, tells the one of its thread what it found.
//
// Where each rank has a processor, a poll keeps its own. Elsewhere a loop of polls looks a few
// times, as a wait does, and then yields at each poll: ranks that wait give the processor back
// within a microsecond. After many yields without an answer the loop yields by time, so that long
// polling costs little. It does the same at once after a yield that lasted long, for then somebody
// computes. A program that computes between its polls hardly yields: it is no loop of polls.
#pragma once

#include <cstdint>

namespace gondwana {

class PollBackoff {
 public:
  // Keeps the processor.
  constexpr PollBackoff() = default;
  // Shares it, after so many looks.
  static constexpr PollBackoff after(std::uint32_t looks) {
    PollBackoff polls;
    polls.share(looks);
    return polls;
  }
  constexpr void share(std::uint32_t looks) {
    if (looks_ == never) looks_ = limit_ = looks < fewest_looks ? fewest_looks : looks;
  }

  void found() {
    failed_ = 0;
    limit_ = looks_;
  }
  // `polls`: as many as one call tells of.
  void failed(std::uint32_t polls = 1) {
    failed_ += polls;
    if (failed_ >= limit_) [[unlikely]]
      give_way();
  }
  // A loop that has found nothing for long: it keeps its processor, or yields by time.
  bool is_long() const {
    return looks_ == never ? failed_ >= most_in_a_row : limit_ == polls_per_clock;
  }
  // For calls that return a value and do not know what the program waits for: the value that the
  // same place had before is a failed poll.
  void fetched(const void* place, std::uint64_t value, std::uint32_t polls = 1) {
    if (place == place_ && value == value_) return failed(polls);
    place_ = place;
    value_ = value;
    found();
  }

  // Yields so far.
  std::uint64_t yields() const { return yields_; }

 private:
  static constexpr std::uint32_t never = ~0U;
  static constexpr std::uint32_t fewest_looks = 2;  // more than each_poll
  static constexpr std::uint32_t each_poll = 1;
  // Ranks that share a processor need one yield of each for every turn: enough for a few hundred.
  static constexpr std::uint32_t most_in_a_row = 256;
  static constexpr std::uint64_t interval_ns = 50'000;
  static constexpr std::uint32_t polls_per_clock = 16;
  // Between two polls of a loop that does nothing else; a poll of the wire takes some of them.
  static constexpr std::uint64_t longest_gap_ns = 20'000;
  static constexpr std::uint64_t slow_ns = 500'000;

  void give_way();
  void yield(std::uint64_t now_ns);

  // Owner: the thread that polls.
  std::uint32_t failed_ = 0;         // since the last yield or success
  std::uint32_t limit_ = never;      // so many lead to give_way()
  std::uint32_t looks_ = never;      // the first limit of a loop
  std::uint32_t in_a_row_ = 0;       // yields of this loop
  std::uint64_t last_yield_ns_ = 0;  // its end
  std::uint64_t yields_ = 0;
  const void* place_ = nullptr;
  std::uint64_t value_ = 0;
};

}  // namespace gondwana
