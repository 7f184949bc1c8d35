// The stride optimizer finds the fastest description of a transfer.
#pragma once

#include "operations/strided/transfer.hpp"

namespace gondwana::strided {

// The canonical form of `description`: extents of 1 are dropped, strides at `ordered` are positive
// and sorted, and dimensions that continue each other at both ends are merged. `ordered` is the end
// in the peer's memory, which is then unpacked in address order. On one node it may be either end.
//
// The result is equal for all descriptions of one transfer whose elements do not overlap at
// `ordered`.
Result<Transfer> optimize(const Description& description, End ordered);

}  // namespace gondwana::strided
