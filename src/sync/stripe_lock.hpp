// A lock that its holder keeps for less than a microsecond and never while it waits. A process that
// cannot take the lock retries later.
//
// A process that dies with the lock leaves it taken. The job ends then, as after any loss.
#pragma once

#include "sync/atomics.hpp"

namespace gondwana {

// All zero is free.
template <AtomicsPolicy Atomics>
class StripeLock {
 public:
  static constexpr std::uint32_t layout_version = 1;

  bool try_take() {
    if (word_.load(std::memory_order_relaxed) != 0) return false;
    std::uint32_t free = 0;
    return word_.compare_exchange_strong(free, 1,
                                         std::memory_order_acquire,  // pairs with release()
                                         std::memory_order_relaxed);
  }
  void release() { word_.store(0, std::memory_order_release); }

 private:
  typename Atomics::Word word_;
};

}  // namespace gondwana
