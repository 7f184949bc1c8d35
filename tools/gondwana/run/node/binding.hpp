// Chooses the processors on which each rank may run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/result.hpp"
#include "modules/binding/topology.hpp"

namespace gondwana::launch {

using binding::Binding;
using binding::Place;

// Assigns a place to each rank, in order, from the processors that this process may use. If there
// are fewer places than ranks, it starts again from the first. Empty for Binding::none.
Result<std::vector<Place>> plan_binding(Binding binding, std::uint32_t ranks);

}  // namespace gondwana::launch
