// Host memory that the program itself has pinned for a device, by the driver's calls.
#pragma once

#include "core/types.hpp"

namespace gondwana {

// Whether it has pinned some of these pages. The driver keeps to the pages that were there: other
// pages at their addresses would be the processor's alone.
bool has_pinned(Bytes pages);

}  // namespace gondwana
