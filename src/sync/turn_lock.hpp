// A lock that costs almost nothing while only one thread of the process takes it.
//
// The first thread owns the lock for itself: it marks itself inside by a plain store, and checks by
// a plain load whether another thread has come. The processor may perform that load before the
// store leaves its store buffer. So the second thread announces itself, and then makes every
// running thread pass a full fence (membarrier). Then either it sees the first thread inside and
// waits, or the first thread sees that it is not alone. From then on all threads take a futex.
// Model-checked in tests/unit/turn_lock_model_test.cpp.
#pragma once

#include "sync/atomics.hpp"

namespace gondwana {

// All zero: free and unused.
template <AtomicsPolicy A>
class TurnLock {
 public:
  // Whether the thread is the first one, as far as it knows. Begins as false.
  using IsFirst = bool;

  [[gnu::always_inline]] void enter(IsFirst& is_first) {
    if (is_first && enter_alone()) [[likely]]
      return;
    enter_among_others(is_first);
  }
  [[gnu::always_inline]] void leave(const IsFirst& is_first) {
    if (is_first) [[likely]]
      return inside_.store(0, std::memory_order_release);  // pairs with wait_for_first()
    if (futex_.exchange(free, std::memory_order_release) == waited_for) A::futex_wake_all(futex_);
  }

  // Called by the thread inside: whether another one waits.
  bool is_wanted(const IsFirst& is_first) const {
    return is_first ? came_.load(std::memory_order_relaxed) == several
                    : futex_.load(std::memory_order_relaxed) == waited_for;
  }

 private:
  enum Came : std::uint32_t { nobody, one, several };
  enum Futex : std::uint32_t { free, taken, waited_for };

  bool enter_alone() {
    inside_.store(1, std::memory_order_relaxed);
    A::light_fence();  // the load comes after the store
    return came_.load(std::memory_order_relaxed) != several;
  }

  [[gnu::noinline]] void enter_among_others(IsFirst& is_first) {
    if (is_first) leave(is_first);  // the second thread waits for it
    is_first = false;
    std::uint32_t before = nobody;
    if (came_.load(std::memory_order_relaxed) == nobody &&
        came_.compare_exchange_strong(before, one, std::memory_order_relaxed,
                                      std::memory_order_relaxed)) {
      is_first = A::heavy_fence();  // refused: the second thread could not rely on it
      if (is_first && enter_alone()) return;
      if (is_first) leave(is_first);
      is_first = false;
    }
    take_futex();
    if (came_.load(std::memory_order_relaxed) != several) wait_for_first();
  }

  // Called once in the life of the lock. The first thread does not wake this one, so it polls.
  void wait_for_first() {
    came_.store(several, std::memory_order_relaxed);
    A::heavy_fence();
    while (inside_.load(std::memory_order_acquire) != 0)
      A::futex_wait(inside_, 1, std::chrono::microseconds{100});
  }

  void take_futex() {
    std::uint32_t before = free;
    if (futex_.compare_exchange_strong(before, taken, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      return;
    while (futex_.exchange(waited_for, std::memory_order_acquire) != free)
      A::futex_wait(futex_, waited_for, std::nullopt);
  }

  typename A::Word came_{};
  typename A::Word inside_{};  // 1: the first thread is inside, without the futex
  typename A::Word futex_{};
};

}  // namespace gondwana
