// The order in which a rank's threads get locks of the job. A rank has one entry in the queue of a
// lock, so its threads queue for it, first come, first served. Locks are independent.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace gondwana {

class LockTurns {
 public:
  // The place of one thread in the queue for one lock, from draw() or try_draw() to pass_on().
  class Ticket {
   public:
    // When this returns true, the writes of the previous holder are visible.
    bool has_come() const {
      return serving_->load(std::memory_order_acquire) == number_;  // pairs with pass_on()
    }

   private:
    friend class LockTurns;
    Ticket(const std::atomic<std::uint64_t>& serving, std::uint64_t number)
        : serving_(&serving), number_(number) {}

    const std::atomic<std::uint64_t>* serving_;
    std::uint64_t number_;
  };

  Ticket draw(const void* lock);
  // Takes the turn if no thread has it or waits for it.
  bool try_draw(const void* lock);
  // Called by the thread whose turn it is. The caller wakes the waiting threads.
  void pass_on(const void* lock);

 private:
  struct Line {
    const void* lock = nullptr;  // null: free for another lock
    std::uint64_t next = 0;
    std::atomic<std::uint64_t> serving{0};
  };

  Line* find(const void* lock);
  Line& begin(const void* lock);

  std::mutex mutex_;        // guards all but `serving`
  std::deque<Line> lines_;  // one for each lock held or awaited; elements do not move
};

}  // namespace gondwana
