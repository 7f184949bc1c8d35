// Time. The kernel calibrates the processor's counter, and the vDSO reads it without a system call.
#include <sys/time.h>
#include <time.h>

#include <algorithm>
#include <cstdint>

#include "gasnet_tools.h"

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

gasnett_tick_t gasnett_ticks_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<gasnett_tick_t>(now.tv_sec) * second_ns +
         static_cast<gasnett_tick_t>(now.tv_nsec);
}

double gasnett_tick_granularityus() {
  constexpr int steps = 100;
  gasnett_tick_t least = GASNETT_TICK_MAX;
  gasnett_tick_t last = gasnett_ticks_now();
  for (int seen = 0; seen < steps;) {
    const gasnett_tick_t now = gasnett_ticks_now();
    if (now == last) continue;
    least = std::min(least, now - last);
    last = now;
    ++seen;
  }
  return static_cast<double>(least) / 1000;
}

double gasnett_tick_overheadus() {
  constexpr int calls = 1000;
  const gasnett_tick_t begin = gasnett_ticks_now();
  gasnett_tick_t end = begin;
  for (int i = 0; i < calls; ++i) end = gasnett_ticks_now();
  return static_cast<double>(end - begin) / calls / 1000;
}

std::uint64_t gasnett_gettimeofday_us() {
  timeval now;
  gettimeofday(&now, nullptr);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(now.tv_usec);
}

int gasnett_nsleep(std::uint64_t nanoseconds) {
  if (nanoseconds == 0) return 0;
  const timespec delay{static_cast<time_t>(nanoseconds / second_ns),
                       static_cast<long>(nanoseconds % second_ns)};
  return nanosleep(&delay, nullptr);
}
