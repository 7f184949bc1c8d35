// The clock that measures calls: see core/ticks.hpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "core/ticks.hpp"

namespace gondwana::profile {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  std::uint64_t began_ticks() const { return began_ticks_; }
  std::uint64_t passed_ticks() const { return ticks() - began_ticks_; }
  double nanoseconds_per_tick() const {
    const std::uint64_t passed = passed_ticks();
    return passed > 0 ? seconds() * 1e9 / static_cast<double>(passed) : 0;
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::uint64_t began_ticks_ = ticks();
};

}  // namespace gondwana::profile
