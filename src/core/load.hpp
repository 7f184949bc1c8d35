// Time limits on a machine where other programs compute as well.
#pragma once

#include <cstdint>

namespace gondwana {

// How many times longer than on an idle machine a process may need for its work now: as many times
// as threads of all programs want each processor. From 1 to 16.
std::uint32_t slowdown();

// A limit that is met on an idle machine.
template <typename Time>
Time stretched(Time limit) {
  return limit * slowdown();
}

}  // namespace gondwana
