// What the binding module gives to the launcher and to `gondwana info`. One build makes both, so
// C++ types may cross.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::binding {

inline constexpr const char* module = "libgondwana_binding.so";

enum class Binding { none, core, numa, package };

struct Place {
  cpu_set_t processors;
  std::string name;  // "core 3"
};

// How many there are of each in this machine, as far as this process may use them.
struct Shape {
  std::uint32_t packages = 0;
  std::uint32_t numa_domains = 0;
  std::uint32_t cores = 0;
  std::uint32_t threads = 0;  // of hardware: processors as the kernel counts them
};

inline constexpr const char* places_symbol = "gondwana_binding_places";

// All places of a kind that this process may use, in the order of the machine.
using FindPlaces = void (*)(Binding, Result<std::vector<Place>>* places);

inline constexpr const char* shape_symbol = "gondwana_binding_shape";

using FindShape = void (*)(Result<Shape>* shape);

}  // namespace gondwana::binding
