// Which processors each rank may run on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "modules/binding/topology.hpp"

namespace gondwana::launch {

using binding::Binding;
using binding::Place;

// One place for each rank, from the processors this process may use, taken in turn; begun again
// from the first where there are fewer places than ranks. Empty for Binding::none.
Result<std::vector<Place>> plan_binding(Binding binding, std::uint32_t ranks);

}  // namespace gondwana::launch
