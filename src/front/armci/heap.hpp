// The memory that ARMCI_Malloc hands out: blocks of this process's arena, of any size at any time.
//
// Blocks come from large pieces of the segment space. A piece keeps its pages while blocks come and
// go, because a page costs more than a block: programs of Global Arrays make and destroy arrays all
// the time. One empty piece is kept.
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

  // Null: no room is left. The bytes are not zeroed. `size` is above 0.
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
  std::list<Piece> pieces_;  // the newest first
};

}  // namespace gondwana::armci
