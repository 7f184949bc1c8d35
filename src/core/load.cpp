#include "core/load.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace gondwana {

// "0.20 0.18 0.12 3/80 11206": the fourth field has the runnable threads and all threads. The
// reader is one of them.
std::uint32_t slowdown() {
  constexpr std::uint32_t most = 16;
  std::ifstream file("/proc/loadavg");
  double average = 0;
  std::uint32_t threads = 0;
  if (!(file >> average >> average >> average >> threads)) return 1;
  const auto processors = static_cast<std::uint32_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  return std::clamp((threads + processors - 1) / processors, std::uint32_t{1}, most);
}

}  // namespace gondwana
