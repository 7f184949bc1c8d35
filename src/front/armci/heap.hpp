// The memory that ARMCI_Malloc returns: blocks of this process's arena, of any size at any time.
//
// Blocks come from large pieces of the segment space. A piece keeps its pages while blocks are
// allocated and freed, because a page costs more than a block: programs of Global Arrays create and
// destroy arrays all the time. One empty piece is kept.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "core/types.hpp"
#include "engine/symmetric/segment_space.hpp"
#include "memory/heap.hpp"

namespace gondwana::armci {

class GlobalHeap {
 public:
  explicit GlobalHeap(SegmentSpace& space) : space_(space) {}
  GlobalHeap(const GlobalHeap&) = delete;
  GlobalHeap& operator=(const GlobalHeap&) = delete;
  ~GlobalHeap();

  // Null: the heap is full. The bytes are not zeroed. `size` must be above 0.
  std::byte* allocate(std::size_t size);
  // False: no block begins there.
  bool release(std::byte* block);
  std::size_t largest_free() const;

 private:
  struct Piece {
    MutableBytes bytes;
    Heap book;
  };

  std::byte* allocate_in(Piece& piece, std::size_t size);
  void keep_one_empty();

  SegmentSpace& space_;
  std::list<Piece> pieces_;  // newest first
};

}  // namespace gondwana::armci
