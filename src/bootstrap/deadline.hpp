// A point in time that limits a wait.
#pragma once

#include <cstdint>

#include "core/machine.hpp"

namespace gondwana {

class Deadline {
 public:
  explicit Deadline(std::uint32_t seconds)
      : seconds_(seconds), end_ns_(monotonic_ns() + std::uint64_t{seconds} * 1'000'000'000) {}

  // The initial timeout, for messages.
  std::uint32_t seconds() const { return seconds_; }

  // The remaining time, in the units of poll().
  int left_ms() const {
    const std::uint64_t now = monotonic_ns();
    return now >= end_ns_ ? 0 : static_cast<int>((end_ns_ - now) / 1'000'000);
  }

 private:
  std::uint32_t seconds_;
  std::uint64_t end_ns_;
};

}  // namespace gondwana
