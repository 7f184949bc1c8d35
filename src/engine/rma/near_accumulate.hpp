// Accumulates to a rank that loads and stores reach.
#pragma once

#include "engine/wait/waiter.hpp"
#include "memory/node_memory.hpp"
#include "operations/accumulate.hpp"

namespace gondwana {

// No other accumulate changes an element at the same time. One object is one accumulate.
class NearAccumulate {
 public:
  NearAccumulate(const NodeMemory& memory, Waiter& waiter, CallName call, Rank to,
                 const Accumulation& what, StripeHolder holder = StripeHolder::unnumbered)
      : waiter_(waiter),
        call_(call),
        to_(to),
        what_(what),
        arena_(memory.window(to)),
        stripes_(memory.page(to).accumulate_locks, holder) {}

  // `target` is in the arena of the rank. `size` must be a multiple of the element size.
  void add(std::byte* target, const std::byte* source, std::size_t size) {
    while (size > 0) {
      const auto offset = static_cast<std::uint64_t>(target - arena_);
      const std::size_t part = HeldStripes::next_part(offset, size, width(what_.type()));
      if (!stripes_.try_move_to(offset, part)) [[unlikely]]
        wait_for(offset, part);
      what_.add(target, source, part);
      target += part;
      source += part;
      size -= part;
    }
  }

 private:
  // No bell rings when a lock is released, so this is a wait that polls repeatedly. Only the death
  // of the target ends it: the lock of another dead rank is broken.
  void wait_for(std::uint64_t offset, std::size_t part) {
    waiter_.until({.call = call_, .peer = index(to_), .is_timed = true},
                  [&] { return stripes_.try_move_to(offset, part); });
  }

  Waiter& waiter_;
  CallName call_;
  Rank to_;
  const Accumulation& what_;
  std::byte* arena_;
  HeldStripes stripes_;
};

}  // namespace gondwana
