// The locks that protect accumulates into a rank's arena, by ranks of its node and by the node
// agent. Each lock covers every sixteenth stripe of the arena, so two large accumulates into one
// array rarely collide.
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
  static constexpr std::size_t stripe = 16 * 1024;  // bytes: one add of that size takes 1 to 2 us

  struct alignas(cache_line) Place {
    StripeLock<RealAtomics> lock;
  };
  std::array<Place, count> places;

  // An element may have a part of the sum of a rank that dies, and none of the rest.
  void break_of(Rank dead) {
    for (Place& place : places) place.lock.break_of(holder_of(dead));
  }
};

// Holds the locks of the stripes in use, and no others: one lock, or two for an element that
// crosses the edge between two stripes.
class HeldStripes {
 public:
  explicit HeldStripes(AccumulateLocks& locks, StripeHolder holder = StripeHolder::unnumbered)
      : locks_(locks), holder_(holder) {}
  HeldStripes(const HeldStripes&) = delete;
  HeldStripes& operator=(const HeldStripes&) = delete;
  ~HeldStripes() { release(); }

  // Releases the last locks and takes those for `size` bytes, as next_part() returns it, at this
  // offset in the arena. False: another process holds a lock, and this object holds none.
  bool try_move_to(std::uint64_t offset, std::size_t size) {
    const Stripes wanted{offset / AccumulateLocks::stripe,
                         (offset + size - 1) / AccumulateLocks::stripe};
    if (is_held_ && wanted == stripes_) return true;
    release();
    if (!lock(wanted.first).try_take(holder_)) return false;
    if (wanted.last != wanted.first && !lock(wanted.last).try_take(holder_)) [[unlikely]] {
      lock(wanted.first).release();
      return false;
    }
    stripes_ = wanted;
    is_held_ = true;
    return true;
  }
  void release() {
    if (!is_held_) return;
    lock(stripes_.first).release();
    if (stripes_.last != stripes_.first) [[unlikely]]
      lock(stripes_.last).release();
    is_held_ = false;
  }

  // The bytes of `size`, whole elements of `width` bytes, to add next: those inside the stripe of
  // the offset, or one element that crosses its edge.
  static std::size_t next_part(std::uint64_t offset, std::size_t size, std::size_t width) {
    const std::size_t left = AccumulateLocks::stripe - offset % AccumulateLocks::stripe;
    if (size <= left) return size;
    return std::max(width, left / width * width);
  }

 private:
  struct Stripes {
    std::uint64_t first;
    std::uint64_t last;

    bool operator==(const Stripes&) const = default;
  };

  StripeLock<RealAtomics>& lock(std::uint64_t stripe) {
    return locks_.places[stripe % AccumulateLocks::count].lock;
  }

  AccumulateLocks& locks_;
  StripeHolder holder_;
  Stripes stripes_{};
  bool is_held_ = false;
};

}  // namespace gondwana
