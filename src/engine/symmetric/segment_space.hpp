// The part of a rank's own arena that lies between symmetric heap and inbox: memory that peers can
// reach, and that need not be symmetric.
#pragma once

#include <mutex>
#include <optional>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/heap.hpp"

namespace gondwana {

class SegmentSpace {
 public:
  // `space`: whole pages, untouched behind the first `dirty` bytes.
  explicit SegmentSpace(MutableBytes space, std::size_t dirty = 0);
  // Before anything is allocated, and once nobody writes there any more.
  void clear_dirty();

  // Whole pages, zeroed; nothing where no free range is so long.
  std::optional<MutableBytes> allocate(std::size_t size);
  // What allocate() gave. Its pages go back to the system.
  void release(MutableBytes range);

  std::size_t largest_free() const;
  // All that was ever allocated lies there.
  MutableBytes used() const;

 private:
  MutableBytes space_;
  std::size_t dirty_;
  mutable std::mutex mutex_;  // guards the bookkeeping
  Heap book_;
  std::size_t used_ = 0;
};

}  // namespace gondwana
