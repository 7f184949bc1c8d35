// The memory of a symmetric heap: which of its bytes were ever handed out, which the program may
// touch, and which core dumps hold. Offsets count from the begin of the heap.
//
// Its owner guards it.
#pragma once

#include <cstddef>
#include <memory>

#include "core/types.hpp"
#include "memory/node_memory.hpp"

namespace gondwana {

// The location of the heap in the arena. Its first `huge` bytes are on reserved huge pages. A page
// given back from there may belong to another process when it is touched again.
struct HeapPlace {
  // The blocks of the rank's remote heap, before the symmetric heap. Size 0: it has none.
  struct Remote {
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t huge = 0;
  bool redzones = false;  // blocks are separated, so that an overflow hits no other block
  Remote remote = {};
};

class HeapPages {
 public:
  // `touched`: the arena beyond that offset was never written. The redzone before the heap has that
  // many bytes.
  HeapPages(std::shared_ptr<const NodeMemory> memory, Rank rank, const HeapPlace& heap,
            std::size_t touched, std::size_t redzone_before);
  ~HeapPages();
  HeapPages(const HeapPages&) = delete;
  HeapPages& operator=(const HeapPages&) = delete;

  MutableBytes bytes() const { return bytes_; }
  std::size_t huge() const { return huge_; }
  // No byte from here on was ever allocated.
  std::size_t touched() const { return touched_; }
  // The `touched` of the constructor, for the next heap in this arena.
  std::size_t touched_in_arena() const { return offset_ + touched_; }

  // Whether the program may touch the bytes.
  void allow(std::size_t offset, std::size_t size) const;
  void forbid(std::size_t offset, std::size_t size) const;
  // Records that the bytes before `end` are handed out.
  void touch(std::size_t end);
  // Includes allocated blocks in core dumps from now on.
  void begin_dumps();
  void clear(std::size_t offset, std::size_t size);
  // A range of a block, relative to its start.
  struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Returns the whole pages of a block to the system. They then read as zero. Returns the range of
  // these pages.
  Span give_back(std::size_t offset, std::size_t size) const;

 private:
  // Smaller blocks keep their pages.
  static constexpr std::size_t page_worthy = std::size_t{256} * 1024;

  void dump_touched();

  std::shared_ptr<const NodeMemory> memory_;
  Rank rank_;
  std::size_t offset_;  // in the arena
  MutableBytes bytes_;
  std::size_t huge_;
  std::size_t redzone_before_;
  std::size_t touched_;
  std::size_t dumped_ = 0;  // core dumps contain the heap up to here
  bool dumps_ = false;
};

}  // namespace gondwana
