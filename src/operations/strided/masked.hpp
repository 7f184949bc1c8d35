// Copies pieces with the same stride at both ends, several in a cache line.
#pragma once

#include "operations/strided/plane.hpp"

namespace gondwana::strided {

// Returns this processor's kernel for a plane whose inner strides are equal and of a supported
// size, or else nullptr.
PlaneCopy masked_kernel(const Plane& plane);

}  // namespace gondwana::strided
