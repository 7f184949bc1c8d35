// The size of a rank's symmetric heap, and its place in the arena.
#pragma once

#include "core/options.hpp"
#include "core/result.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "engine/symmetric/symmetric_memory.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

struct HeapRequest {
  const NodeMemory& memory;
  const Options& options;
  MutableBytes globals;
};

// The size that the user set, or half of the node's memory divided among its ranks, or an error.
Result<HeapPlace> choose_heap(const HeapRequest& request);

// The offset beyond which no earlier engine wrote to this heap.
std::size_t touched_before(const Legacy& legacy, const HeapPlace& heap);

// The part of a rank's arena after its heap.
SegmentSpace segments_after(const NodeMemory& memory, Rank rank, const HeapPlace& heap);

}  // namespace gondwana
