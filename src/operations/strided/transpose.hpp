// Transposition of words: contiguous along one dimension at the target, along the other at the
// source.
#pragma once

#include "operations/strided/plane.hpp"

namespace gondwana::strided {

// A kernel for a plane with plane.inner.target == plane.run == plane.outer.source whose target
// words are aligned; nullptr where there is none for that run, or the plane is too small for one.
PlaneCopy transpose_kernel(const Plane& plane);

}  // namespace gondwana::strided
