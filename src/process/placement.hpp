// On which processor a rank begins.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

// Moves the calling thread to a processor that no other rank of the node moves to, if each rank can
// have one, and leaves it free to move on. Ranks that wake each other while they start end up on
// one processor, and the kernel takes some 70 ms to part them. Ranks with different sets of
// processors stay where they are. After all ranks of the node have published their sets.
void start_apart(const NodeMemory& memory, Rank me);

}  // namespace gondwana
