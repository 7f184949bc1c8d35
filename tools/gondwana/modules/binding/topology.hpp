// The interface of the binding module for the launcher and to `gondwana info`. One build makes
// both, so they can share C++ types.
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

// The number of places of each kind that this process may use.
struct Shape {
  std::uint32_t packages = 0;
  std::uint32_t numa_domains = 0;
  std::uint32_t cores = 0;
  std::uint32_t threads = 0;  // hardware threads: processors as the kernel counts them
};

inline constexpr const char* places_symbol = "gondwana_binding_places";

// All places of a kind that this process may use, in the machine's order.
using FindPlaces = void (*)(Binding, Result<std::vector<Place>>* places);

inline constexpr const char* shape_symbol = "gondwana_binding_shape";

using FindShape = void (*)(Result<Shape>* shape);

}  // namespace gondwana::binding
