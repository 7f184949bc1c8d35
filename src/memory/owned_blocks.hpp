// Blocks of remote heaps that end with a process.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

// Allocates a block in the remote heap of a rank of this node. A full heap takes back the blocks of
// processes that have died or left. 0: no free block is large enough.
std::uint64_t allocate_block(const NodeMemory& memory, Rank at, std::size_t size, BlockOwner owner);

}  // namespace gondwana
