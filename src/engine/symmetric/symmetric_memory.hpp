// What a rank may name on its peers: the symmetric heap and the program's globals. Turns local
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

// Where the heap lies in the arena. Its first `huge` bytes are on huge pages that were set aside:
// what is given back of those may be somebody else's when it is touched again.
struct HeapPlace {
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t huge = 0;
  bool redzones = false;  // blocks keep a distance, so that an overflow hits none
};

class SymmetricMemory {
 public:
  // Of `rank`; `globals`: its variables (empty: private), already laid on its arena at
  // NodePlan::globals_offset. `touched`: behind that offset the arena has never been written to.
  SymmetricMemory(std::shared_ptr<const NodeMemory> memory, Rank rank, MutableBytes globals,
                  const HeapPlace& heap, std::size_t touched = 0);
  ~SymmetricMemory();
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  const SymmetricRanges& ranges() const { return ranges_; }

  // The heap: null where it is full, size is 0, or `alignment`, a power of two, is larger than
  // arena_alignment. New memory is not cleared, zeroed() is.
  void* allocate(std::size_t size, std::size_t alignment);
  void* allocate_zeroed(std::size_t size);
  // As realloc(3), contents kept up to the smaller size; null and nothing changed where it is full.
  void* resize(void* block, std::size_t size);
  // False where no block begins there.
  bool release(void* block);
  // Every block that is still taken.
  void release_all();
  // Size of the block that begins there, 0 where none does.
  std::size_t size_of(const void* block) const;

  // From here on core dumps hold the blocks of the heap.
  void dump_blocks();
  // Where [address, address + size) lies in the heap, but not in one block of it: what is wrong.
  std::optional<std::string> doubt_about(const void* address, std::size_t size) const;

  MutableBytes heap() const { return heap_; }
  std::size_t heap_size() const { return heap_.size(); }
  // Of its beginning, on huge pages that were set aside.
  std::size_t huge_size() const { return huge_; }
  std::size_t largest_free() const;
  // As for the constructor: for the next to be laid on this arena.
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
  // A range of a block, from its start.
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
  mutable std::mutex mutex_;  // guards the bookkeeping below
  Heap book_;
  std::map<std::size_t, std::size_t> asked_;  // offset of each block -> bytes that were asked for
  std::size_t touched_;     // no byte of the heap from here on was ever handed out
  std::size_t dumped_ = 0;  // up to here core dumps hold the heap
  bool dumps_ = false;
};

}  // namespace gondwana
