// The bookkeeping of a symmetric heap: the allocated ranges. It holds offsets only and never
// touches the memory that it manages, so a stray put of a peer cannot harm it.
//
// The same calls in the same order give the same offsets on every rank: best fit, lowest offset
// first. O(log blocks) per call. Not thread-safe: its owner holds a lock.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace gondwana {

class Heap {
 public:
  static constexpr std::size_t granule = 64;  // sizes and offsets are multiples: one cache line

  struct Block {
    std::size_t offset;
    std::size_t size;
  };

  // `capacity` bytes, from offset 0. Alignments count from `origin` bytes before offset 0.
  explicit Heap(std::size_t capacity, std::size_t origin = 0);

  // Nothing if no free block is large enough. `alignment` is a power of two; `size` may be 0.
  std::optional<Block> allocate(std::size_t size, std::size_t alignment = granule);

  // Takes this block, as another heap has it. Nothing if it is not free.
  std::optional<Block> allocate_at(std::size_t offset, std::size_t size);

  // Returns the freed block, so that the caller can return its pages. Nothing if no block begins at
  // `offset`.
  std::optional<Block> release(std::size_t offset);

  // Resizes the block at `offset` to `size` bytes in place: shrinks it, or extends it into the free
  // block after it. False if that is impossible; nothing changes then.
  bool resize(std::size_t offset, std::size_t size);

  std::optional<Block> find(std::size_t offset) const;
  // Any allocated block; nothing if there is none.
  std::optional<Block> find_any() const;

  std::size_t capacity() const { return capacity_; }
  std::size_t used() const { return used_; }
  std::size_t largest_free() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }

 private:
  void insert_free(std::size_t offset, std::size_t size);  // merges with its neighbours
  void erase_free(std::map<std::size_t, std::size_t>::iterator block);
  void take(std::size_t offset, std::size_t size);

  std::size_t capacity_;
  std::size_t origin_;
  std::size_t used_ = 0;
  std::map<std::size_t, std::size_t> free_;                // offset -> size
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // (size, offset) of the same blocks
  std::unordered_map<std::size_t, std::size_t> taken_;     // offset -> size
};

}  // namespace gondwana
