// Timeouts on a machine where other programs compute as well.
#pragma once

#include <cstdint>

namespace gondwana {

// How many times longer a process may need for its work now than on an idle machine: the number of
// runnable threads per processor. From 1 to 16.
std::uint32_t slowdown();

// A timeout that an idle machine meets.
template <typename Time>
Time stretched(Time limit) {
  return limit * slowdown();
}

}  // namespace gondwana
