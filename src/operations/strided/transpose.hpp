// Transposes words that are contiguous along one dimension at the target and along the other at the
// source.
#pragma once

#include "operations/strided/plane.hpp"

namespace gondwana::strided {

// A kernel for a plane with plane.inner.target == plane.piece == plane.outer.source whose target
// words are aligned. nullptr if no kernel exists for that piece, or if the plane is too small.
PlaneCopy transpose_kernel(const Plane& plane);

}  // namespace gondwana::strided
