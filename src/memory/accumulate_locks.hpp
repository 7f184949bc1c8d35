// The locks under which elements of a rank's arena are added to, by ranks of its node and by the
// node agent. Each covers every sixteenth stripe of the arena, so that two large accumulates into
// one array meet rarely.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "sync/stripe_lock.hpp"

namespace gondwana {

struct AccumulateLocks {
  static constexpr std::size_t count = 16;
  static constexpr std::size_t stripe = 16 * 1024;  // bytes: an add of that many takes 1 to 2 us

  struct alignas(cache_line) Place {
    StripeLock<RealAtomics> lock;
  };
  std::array<Place, count> places;
};

// Holds the lock of the stripe that is being added to, and no other.
class HeldStripe {
 public:
  explicit HeldStripe(AccumulateLocks& locks) : locks_(locks) {}
  HeldStripe(const HeldStripe&) = delete;
  HeldStripe& operator=(const HeldStripe&) = delete;
  ~HeldStripe() { release(); }

  // Releases the last lock and takes the lock for this offset in the arena. False: another process
  // has the lock, and this one holds none.
  bool try_move_to(std::uint64_t offset) {
    const std::uint64_t wanted = offset / AccumulateLocks::stripe;
    if (is_held_ && wanted == stripe_) return true;
    release();
    stripe_ = wanted;
    is_held_ = lock().try_take();
    return is_held_;
  }
  void release() {
    if (is_held_) lock().release();
    is_held_ = false;
  }

  // How many of `size` bytes from the offset on begin in its stripe: whole elements of `width`
  // bytes.
  static std::size_t within(std::uint64_t offset, std::size_t size, std::size_t width) {
    const std::size_t left = AccumulateLocks::stripe - offset % AccumulateLocks::stripe;
    return std::min(size, round_up(left, width));
  }

 private:
  StripeLock<RealAtomics>& lock() { return locks_.places[stripe_ % AccumulateLocks::count].lock; }

  AccumulateLocks& locks_;
  std::uint64_t stripe_ = 0;
  bool is_held_ = false;
};

}  // namespace gondwana
