// The processor on which a rank starts.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

// Moves the calling thread to a processor of its own, if the node has one for each rank, and leaves
// it free to move later. Ranks that wake each other at start would share one processor, and the
// kernel takes about 70 ms to separate them. Ranks with different processor sets stay where they
// are. All ranks of the node must have published their sets.
void start_apart(const NodeMemory& memory, Rank me);

}  // namespace gondwana
