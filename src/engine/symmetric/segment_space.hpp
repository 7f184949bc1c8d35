// The part of a rank's arena between the symmetric heap and the inbox. Peers can reach this memory,
// but it need not be symmetric.
#pragma once

#include <mutex>
#include <optional>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/heap.hpp"

namespace gondwana {

class SegmentSpace {
 public:
  // `space`: whole pages, unwritten after the first `dirty` bytes.
  explicit SegmentSpace(MutableBytes space, std::size_t dirty = 0);
  // Called before the first allocation, after earlier writers have stopped.
  void clear_dirty();

  // Returns whole pages, zeroed, or nothing if no free range is large enough.
  std::optional<MutableBytes> allocate(std::size_t size);
  // Extends a range from allocate() in place. False: the bytes after it are in use.
  bool extend(MutableBytes& range, std::size_t size);
  // `range`: from allocate(). Its pages return to the system.
  void release(MutableBytes range);

  std::size_t largest_free() const;
  // A range that contains every allocation so far.
  MutableBytes used() const;

 private:
  MutableBytes space_;
  std::size_t dirty_;
  mutable std::mutex mutex_;  // guards the bookkeeping
  Heap book_;
  std::size_t used_ = 0;
};

}  // namespace gondwana
