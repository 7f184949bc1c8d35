#include "core/ticks.hpp"

#include "core/machine.hpp"

namespace gondwana {

ClockPair read_clocks() {
  constexpr int samples = 5;
  ClockPair best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int sample = 0; sample < samples; ++sample) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = monotonic_ns();
    const std::uint64_t took = ticks() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, ns};
  }
  return best;
}

}  // namespace gondwana
