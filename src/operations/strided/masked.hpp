// Runs that lie equally far apart at both ends, several to a cache line.
#pragma once

#include "operations/strided/plane.hpp"

namespace gondwana::strided {

// The kernel of this processor for a plane whose inner strides are equal and of a size for it;
// nullptr: there is none.
PlaneCopy masked_kernel(const Plane& plane);

}  // namespace gondwana::strided
