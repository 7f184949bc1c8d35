// The clock that calls are measured with: a counter of the processor, which takes a third of the
// time that the system's clock takes to read. Its rate is found by comparing the two.
#pragma once

#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace gondwana::profile {

// Runs at one rate on all processors of a machine.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
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
