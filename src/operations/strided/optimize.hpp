// The stride optimizer: of all descriptions of one transfer, the one that is copied fastest.
#pragma once

#include "operations/strided/transfer.hpp"

namespace gondwana::strided {

// The canonical form of `description`: what says nothing (extents of 1) is dropped, the strides of
// the end `ordered` are made positive and sorted, and dimensions that continue each other at both
// ends are one. `ordered` is the end in the peer's memory, so that it is walked in address order
// wherever the bytes are unpacked; on one node either will do.
//
// Equal for all descriptions of one transfer whose elements do not overlap at the end `ordered`.
Result<Transfer> optimize(const Description& description, End ordered);

// The same bytes of one end, in the same order, with a packed buffer as the other end:
// `packed` is the target for who packs and the source for who unpacks.
Transfer with_packed(const Transfer& transfer, End packed);

}  // namespace gondwana::strided
