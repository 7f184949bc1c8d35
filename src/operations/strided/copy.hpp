// Executes a strided transfer if loads and stores reach both ends.
#pragma once

#include <cstddef>
#include <span>

#include "operations/strided/transfer.hpp"
#include "operations/strided_run.hpp"

namespace gondwana::strided {

// `target` and `source` are the base addresses of the description; the ends do not overlap. A piece
// of 1, 2, 4 or 8 bytes aligned at the target is one store: a peer may poll it. The stores are
// ordered like memcpy's: a later release store or fence publishes them.
void copy(const Transfer& transfer, std::byte* target, const std::byte* source);

// Copies a part of a transfer. `dimensions` are its dimensions, some of them shortened. `target`
// and `source` are the addresses of its first byte. The first dimension is the piece.
void copy_box(std::span<const Dimension> dimensions, std::byte* target, const std::byte* source);

// Copies `count` blocks of `size` bytes, with the same guarantees.
void copy_blocks(std::size_t size, std::size_t count, Strided target, ConstStrided source);

}  // namespace gondwana::strided
