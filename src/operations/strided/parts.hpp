// Packs and unpacks a strided transfer in parts of bounded size: the payload of messages.
//
// A part is a range of the packed bytes. A position in them suffices to resume, and parts may be
// packed and unpacked in any order.
#pragma once

#include <cstddef>

#include "core/types.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::strided {

// The size of the part that starts at `position` and has at most `limit` bytes. A piece of up to 64
// bytes is split only if it exceeds the limit; a longer one only at multiples of 64. At least 1
// while position < transfer.bytes() and limit > 0.
std::size_t part_size(const Transfer& transfer, std::size_t position, std::size_t limit);

// Fills `part`, starting at `position`. `packing` is with_packed(transfer, End::target); `source`
// is the base address of the description. position + part.size() must be at most packing.bytes().
void pack(const Transfer& packing, const std::byte* source, std::size_t position,
          MutableBytes part);

// The reverse. `unpacking` is with_packed(transfer, End::source).
void unpack(const Transfer& unpacking, std::byte* target, std::size_t position, Bytes part);

}  // namespace gondwana::strided
