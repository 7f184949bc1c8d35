// The turns of a team: its collectives, in their order. A collective uses slots in the scratch of
// all members, which a collective a few turns earlier used too.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <mutex>
#include <span>

#include "engine/collectives/common/team_scratch.hpp"

namespace gondwana {

class TeamTurns {
 public:
  Turn take() { return ++taken_; }
  // Whether every member has finished the turn `depth` before this one, which used the same slot.
  bool may_begin(Turn turn, Turn depth, std::span<TeamScratch* const> scratch) {
    // Pairs with read_finished(): the others have finished reading the slot.
    return turn <= all_finished_.load(std::memory_order_acquire) + depth ||
           turn <= read_finished(scratch) + depth;
  }
  // Marks the turn as finished: the member that owns this scratch no longer reads or writes for it.
  // tell(before, now) gets the number of finished turns, before and now. No other thread can report
  // a later turn during the call.
  template <std::invocable<Turn, Turn> Tell>
  void finish(Turn turn, TeamScratch& own, bool has_threads, const Tell& tell) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (has_threads) lock.lock();
    const Turn before = finished_;
    finished_later_ |= std::uint64_t{1} << (turn - finished_ - 1);
    for (; (finished_later_ & 1) != 0; finished_later_ >>= 1) ++finished_;
    if (finished_ != before)  // pairs with read_finished()
      own.finished.store(finished_, std::memory_order_release);
    tell(before, finished_);
  }

 private:
  Turn read_finished(std::span<TeamScratch* const> scratch) {
    Turn least = ~Turn{0};
    for (const TeamScratch* each : scratch)  // pairs with finish()
      least = std::min(least, each->finished.load(std::memory_order_acquire));
    all_finished_.store(least, std::memory_order_release);  // pairs with may_begin()
    return least;
  }

  Turn taken_ = 0;                     // owned by the thread that starts a collective
  std::atomic<Turn> all_finished_{0};  // as last read
  std::mutex mutex_;                   // guards the members below if the rank has several threads
  Turn finished_ = 0;
  std::uint64_t finished_later_ = 0;  // bit i: turn finished_ + 1 + i
};

// One collective at a time uses the area in the scratch of its member, in the order of their turns.
class AreaQueue {
 public:
  // Called by the thread that starts a collective.
  std::uint64_t join() { return tickets_++; }
  bool has_area(std::uint64_t ticket) const {
    return served_.load(std::memory_order_acquire) == ticket;  // pairs with release()
  }
  // Called when no member reads the area any more.
  void release() { served_.fetch_add(1, std::memory_order_release); }

 private:
  std::uint64_t tickets_ = 0;
  std::atomic<std::uint64_t> served_{0};
};

}  // namespace gondwana
