// Which processors each rank may run on.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

struct Place {
  cpu_set_t processors;
  std::string name;  // "core 3"
};

// One place for each rank, from the processors this process may use, taken in turn; begun again
// from the first where there are fewer places than ranks. Empty for Binding::none.
Result<std::vector<Place>> plan_binding(Binding binding, std::uint32_t ranks);

// How many there are of each in this machine, as far as this process may use them.
struct Shape {
  std::uint32_t packages = 0;
  std::uint32_t numa_domains = 0;
  std::uint32_t cores = 0;
  std::uint32_t threads = 0;  // of hardware: processors as the kernel counts them
};
Result<Shape> find_shape();

// "0-3, 8"
std::string format_processors(const cpu_set_t& processors);

}  // namespace gondwana::launch
