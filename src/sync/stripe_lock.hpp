// A lock that its holder keeps for less than a microsecond and never while it waits. A process that
// cannot take the lock retries later.
//
// A process that dies with the lock leaves it taken. If the job continues, another process breaks
// the lock, once the holder is known to be dead.
#pragma once

#include "core/types.hpp"
#include "sync/atomics.hpp"

namespace gondwana {

// The process that has a lock. Those without a number of their own end the job if they die.
enum class StripeHolder : std::uint32_t { nobody, unnumbered };

constexpr StripeHolder holder_of(Rank rank) {
  return StripeHolder{index(rank) + 2};
}

// All zero is free.
template <AtomicsPolicy Atomics>
class StripeLock {
 public:
  static constexpr std::uint32_t layout_version = 1;

  bool try_take(StripeHolder holder = StripeHolder::unnumbered) {
    if (word_.load(std::memory_order_relaxed) != 0) return false;
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, static_cast<std::uint32_t>(holder),
                                         std::memory_order_acquire,  // pairs with release()
                                         std::memory_order_relaxed);
  }
  void release() { word_.store(0, std::memory_order_release); }
  // Frees a lock that this holder has. It has died, and its memory is as it left it.
  void break_of(StripeHolder dead) {
    auto held = static_cast<std::uint32_t>(dead);
    word_.compare_exchange_strong(held, 0, std::memory_order_release, std::memory_order_relaxed);
  }

 private:
  typename Atomics::Word word_;
};

}  // namespace gondwana
