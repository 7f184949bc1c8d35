// The turns of a rank's threads at locks of the job: a rank has one place in the queue of a lock,
// so its threads stand in it one after the other. First come, first served; locks are independent.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

namespace gondwana {

class LockTurns {
 public:
  // The place of one thread in the line before one lock; from draw() or try_draw() to pass_on().
  class Ticket {
   public:
    // What the holder before this one did is visible once this is true.
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
  // Takes the turn where no thread has or wants it.
  bool try_draw(const void* lock);
  // Of the thread whose turn it is. The caller wakes who waits.
  void pass_on(const void* lock);

 private:
  struct Line {
    const void* lock = nullptr;  // null: free to be used for another lock
    std::uint64_t next = 0;
    std::atomic<std::uint64_t> serving{0};
  };

  Line* find(const void* lock);
  Line& begin(const void* lock);

  std::mutex mutex_;  // guards all but `serving`
  std::deque<Line>
      lines_;  // as many as locks are held or wanted at a time; lines stay where they are
};

}  // namespace gondwana
