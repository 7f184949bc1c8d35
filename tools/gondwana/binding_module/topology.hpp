// What the binding module gives to the launcher and to `gondwana info`. One build makes both, so
// C++ types may cross.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "run/node/binding.hpp"

namespace gondwana::launch {

inline constexpr const char* places_symbol = "gondwana_binding_places";

// All places of a kind that this process may use, in the order of the machine.
using FindPlaces = void (*)(Binding, Result<std::vector<Place>>* places);

inline constexpr const char* shape_symbol = "gondwana_binding_shape";

using FindShape = void (*)(Result<Shape>* shape);

}  // namespace gondwana::launch
