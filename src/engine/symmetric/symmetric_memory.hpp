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
#include "engine/symmetric/heap_pages.hpp"
#include "engine/symmetric/symmetric_ranges.hpp"
#include "memory/heap.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

class SymmetricMemory {
 public:
  // `globals`: the variables of `rank` (empty: private), already mapped to its arena at
  // NodePlan::globals_offset. `touched`: the arena was never written beyond that offset.
  SymmetricMemory(std::shared_ptr<const NodeMemory> memory, Rank rank, MutableBytes globals,
                  const HeapPlace& heap, std::size_t touched = 0);
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  const SymmetricRanges& ranges() const { return ranges_; }

  // Returns null if the heap is full, if size is 0, or if `alignment`, a power of two, exceeds
  // arena_alignment. Only allocate_zeroed() clears the memory.
  void* allocate(std::size_t size, std::size_t alignment);
  void* allocate_zeroed(std::size_t size);
  // Like realloc(3): keeps contents up to the smaller size. If the heap is full, returns null and
  // changes nothing.
  void* resize(void* block, std::size_t size);
  // Returns false if no block begins at this address.
  bool release(void* block);
  // Releases all allocated blocks.
  void release_all();
  // The allocated blocks: their offsets in the heap, and the requested bytes.
  std::map<std::size_t, std::size_t> blocks() const;
  // Allocates the block that another rank has at this offset, with `taken` bytes of its heap.
  // False: the place is not free.
  bool adopt(std::size_t offset, std::size_t taken, std::size_t asked);
  // The size of the block that begins at this address, or 0.
  std::size_t size_of(const void* block) const;

  // From now on records the blocks for a process that replaces this one.
  void keep_blocks();
  // Takes the blocks that this rank had in its last process. Fails if not all are known.
  Result<void> restore_blocks();

  // Includes the blocks of the heap in core dumps from now on.
  void dump_blocks();
  // If [address, address + size) is in the heap, but not within one block: describes the mistake.
  std::optional<std::string> doubt_about(const void* address, std::size_t size) const;

  MutableBytes heap() const { return pages_.bytes(); }
  Rank owner() const { return rank_; }
  // The rank whose memory is at this address of this process; nothing: no rank of this node.
  std::optional<Rank> rank_at(const void* address) const;
  std::size_t heap_size() const { return heap().size(); }
  // Bytes at the start of the heap that are on reserved huge pages.
  std::size_t huge_size() const { return pages_.huge(); }
  std::size_t largest_free() const;
  // The value of the constructor's `touched` for the next heap in this arena.
  std::size_t touched() const;
  std::string describe() const;  // the ranges, for a message about an address outside them

 private:
  std::size_t heap_offset_of(const void* block) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(block) - heap().data());
  }
  std::optional<Heap::Block> take(std::size_t size, std::size_t alignment = Heap::granule);
  bool resize_in_place(std::size_t offset, std::size_t size);
  void* hand_out(Heap::Block block, std::size_t asked);
  void forget(std::size_t offset);

  std::shared_ptr<const NodeMemory> memory_;
  Rank rank_;
  SymmetricRanges ranges_;
  bool redzones_;
  mutable std::mutex mutex_;  // guards the members below
  HeapPages pages_;
  Heap book_;
  std::map<std::size_t, std::size_t> asked_;  // offset of each block -> requested bytes
  KeptHeap* kept_ = nullptr;                  // null: the job does not replace dead ranks
};

}  // namespace gondwana
