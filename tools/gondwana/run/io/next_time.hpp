// The earliest of several times (CLOCK_MONOTONIC), for a loop that must wake up then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/machine.hpp"

namespace gondwana::launch {

class NextTime {
 public:
  void consider(std::optional<std::uint64_t> ns) { next_ = std::min(next_, ns.value_or(next_)); }

  std::optional<std::uint64_t> ns() const {
    return next_ == never ? std::nullopt : std::optional(next_);
  }

  // The time left, rounded up; -1 if there is none.
  int timeout_ms() const {
    if (next_ == never) return -1;
    const std::uint64_t now = monotonic_ns();
    const std::uint64_t left = next_ > now ? (next_ - now + 999'999) / 1'000'000 : 0;
    return static_cast<int>(std::min<std::uint64_t>(left, max_ms));
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t max_ms = 1'000'000;

  std::uint64_t next_ = never;
};

}  // namespace gondwana::launch
