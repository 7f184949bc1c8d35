// How large the symmetric heap of a rank is, and where it lies in the arena.
#pragma once

#include "core/options.hpp"
#include "core/result.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

struct HeapWish {
  const NodeMemory& memory;
  const Options& options;
  MutableBytes globals;
};

// What the user asked for, or half of the node's memory shared out; an error where it cannot be.
Result<HeapPlace> choose_heap(const HeapWish& wish);

// The offset behind which this heap was never written to by an engine before.
std::size_t touched_before(const Legacy& legacy, const HeapPlace& heap);

// What is left of the arena of a rank after its heap.
SegmentSpace segments_behind(const NodeMemory& memory, Rank rank, const HeapPlace& heap);

}  // namespace gondwana
