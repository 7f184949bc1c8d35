// The symmetric memory of a rank: the symmetric heap and the program's globals. Translates local
// addresses into offsets that mean the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"
#include "engine/symmetric/symmetric_ranges.hpp"
#include "memory/heap.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

// The place of the heap in the arena. Its first `huge` bytes are on reserved huge pages: pages
// given back from there may belong to another process when touched again.
struct HeapPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t huge = 0;
  bool redzones = false;  // blocks keep a distance, so that an overflow hits none
};

class SymmetricMemory {
 public:
  // `globals`: the variables of `rank` (empty: private), already mapped to its arena at
  // NodePlan::globals_offset. `touched`: the arena beyond that offset was never written.
  SymmetricMemory(std::shared_ptr<const NodeMemory> memory, Rank rank, MutableBytes globals,
                  const HeapPlace& heap, std::size_t touched = 0);
  ~SymmetricMemory();
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  const SymmetricRanges& ranges() const { return ranges_; }

  // Returns null if the heap is full, if size is 0, or if `alignment`, a power of two, exceeds
  // arena_alignment. Only allocate_zeroed() clears the memory.
  void* allocate(std::size_t size, std::size_t alignment);
  void* allocate_zeroed(std::size_t size);
  // As realloc(3): keeps contents up to the smaller size. If full, returns null without a change.
  void* resize(void* block, std::size_t size);
  // Returns false if no block begins there.
  bool release(void* block);
  // Releases every block that is still allocated.
  void release_all();
  // The size of the block that begins there; 0 if none does.
  std::size_t size_of(const void* block) const;

  // Adds the blocks of the heap to core dumps from now on.
  void dump_blocks();
  // If [address, address + size) lies in the heap, but not within one block: says what is wrong.
  std::optional<std::string> doubt_about(const void* address, std::size_t size) const;

  MutableBytes heap() const { return heap_; }
  Rank owner() const { return rank_; }
  // Whose memory lies there in this process; nothing: no rank's of this node.
  std::optional<Rank> rank_at(const void* address) const;
  std::size_t heap_size() const { return heap_.size(); }
  // Bytes at the start of the heap that are on reserved huge pages.
  std::size_t huge_size() const { return huge_; }
  std::size_t largest_free() const;
  // The `touched` of the constructor, for the next heap in this arena.
  std::size_t touched() const;
  std::string describe() const;  // the ranges, for a message about an address outside them

 private:
  std::size_t heap_offset_of(const void* block) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - heap_.data());
  }
  std::optional<Heap::Block> take(std::size_t size, std::size_t alignment = Heap::granule);
  bool resize_in_place(std::size_t offset, std::size_t size);
  void* hand_out(Heap::Block block, std::size_t asked);
  void allow(std::size_t offset, std::size_t size) const;
  void forbid(std::size_t offset, std::size_t size) const;
  void dump_touched();
  void clear(std::size_t offset, std::size_t size);
  // A range of a block, relative to its start.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  Span give_back(std::size_t offset, std::size_t size) const;

  std::shared_ptr<const NodeMemory> memory_;
  Rank rank_;
  SymmetricRanges ranges_;
  std::size_t offset_;  // of the heap in the arena
  MutableBytes heap_;
  std::size_t huge_;
  bool redzones_;
  std::size_t redzone_before_;  // size in bytes of the redzone before the heap
  mutable std::mutex mutex_;    // guards the bookkeeping below
  Heap book_;
  std::map<std::size_t, std::size_t> asked_;  // offset of each block -> requested bytes
  std::size_t touched_;     // no byte of the heap from here on was ever handed out
  std::size_t dumped_ = 0;  // up to here core dumps hold the heap
  bool dumps_ = false;
};

}  // namespace gondwana
