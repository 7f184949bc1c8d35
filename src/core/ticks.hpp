// A counter of the processor. Reading it takes a third of the time of the system's clock. Its rate
// is measured against that clock.
#pragma once

#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#elif !defined(__aarch64__)
#include <chrono>
#endif

namespace gondwana {

// The counter has one rate on all processors of a machine.
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

// Both clocks at one time.
struct ClockPair {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;  // CLOCK_MONOTONIC
};

// The quickest of several readings, which no interrupt delayed.
ClockPair read_clocks();

}  // namespace gondwana
