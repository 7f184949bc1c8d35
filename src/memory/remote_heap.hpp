// The remote heap of a rank: blocks in its arena that any process of its node allocates and frees
// without the rank. The agent does so for other nodes.
//
// The state lies in shared memory, outside the blocks. There is no lock: a process that dies in the
// middle of a call loses at most the block, or the chunk of new blocks, of that call. A block stays
// until it is freed. If it has an owner, it may also be taken back once that process has ended. A
// freed block is allocated again for the same size, or is split. Blocks are never joined.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/function_ref.hpp"
#include "core/types.hpp"
#include "memory/block_classes.hpp"
#include "sync/free_list.hpp"

namespace gondwana {

// The free blocks of a class. `fresh`: the granules of its chunk that no block has used, the first
// one in the low 32 bits, the one after the last in the others.
struct alignas(cache_line) FreeBlocks {
  FreeList<RealAtomics> list;
  std::atomic<std::uint64_t> fresh;
};

// The process with which a block ends: a rank, and how often it was replaced before.
enum class BlockOwner : std::uint64_t { none = 0 };

constexpr BlockOwner owner_of(Rank rank, std::uint32_t incarnation) {
  return BlockOwner{std::uint64_t{incarnation} << 43 | std::uint64_t{1} << 42 | index(rank)};
}
constexpr Rank rank_of(BlockOwner owner) {
  return Rank(static_cast<std::uint32_t>(owner) & ((1U << rank_bits) - 1));
}
constexpr std::uint32_t incarnation_of(BlockOwner owner) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(owner) >> 43);
}

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): a line of its own
struct RemoteHeapState {
  std::atomic<std::uint64_t> offset;  // of the blocks, in the arena; as `size`, from the rank alone
  std::atomic<std::uint64_t> size;    // bytes of all blocks; 0: the rank has no remote heap
  std::atomic<std::uint32_t> ended;   // the deaths before the last search for blocks to take back
  alignas(cache_line) std::atomic<std::uint64_t> used;  // granules that chunks or blocks have taken
  std::array<FreeBlocks, BlockClasses::count> free;
};

class RemoteHeap {
 public:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t most_bytes = BlockClasses::most_granules * granule;

  // The bytes of the arena that a heap with blocks of `size` bytes in all occupies: a word for each
  // granule precedes the blocks.
  static constexpr std::size_t extent(std::size_t size) {
    return size + size / granule * sizeof(std::uint64_t);
  }

  // `arena`: the window of this process.
  RemoteHeap(RemoteHeapState& state, std::byte* arena) : state_(state), arena_(arena) {}

  // Makes an empty heap at `offset`, after any earlier one. Only the rank calls it, while no
  // process allocates.
  void open(std::uint64_t offset, std::size_t size);
  // Called after open() if the memory may have been used otherwise.
  void clear_words();

  // The offset in the arena of at least `size` bytes, aligned to a granule; 0: no free block is
  // large enough. The bytes are not cleared.
  std::uint64_t allocate(std::size_t size, BlockOwner owner = BlockOwner::none);

  // Frees the blocks whose owners have ended, if more than at the last call: `deaths` have ended
  // so far. Reads a word for each granule that was ever used. Returns whether it has searched.
  using HasEnded = FunctionRef<bool(BlockOwner)>;
  bool take_back(std::uint32_t deaths, HasEnded has_ended);

  enum class Release : std::uint8_t { done, outside, no_block, is_free };
  // `offset`: in the arena. Any result but `done` means that nothing has changed.
  Release release(std::uint64_t offset);

  std::size_t size() const { return state_.size.load(std::memory_order_relaxed); }
  std::uint64_t offset() const { return state_.offset.load(std::memory_order_relaxed); }
  // Bytes that no block has ever used.
  std::size_t unused() const;

 private:
  // The word of a block's first granule: its class, its state, and the link of a free block or the
  // owner of another one. 0: no block has ever begun there.
  static constexpr std::uint64_t taken = std::uint64_t{1} << 40;
  static constexpr std::uint64_t free = std::uint64_t{1} << 41;
  static constexpr unsigned class_shift = 32;
  static constexpr std::uint64_t owner_bits = ~(std::uint64_t{0xff} << class_shift | taken | free);

  static constexpr unsigned class_in(std::uint64_t word) {
    return static_cast<unsigned>(word >> class_shift & 0xff);
  }
  static constexpr std::uint64_t word_of(unsigned size_class, std::uint64_t state) {
    return std::uint64_t{size_class} << class_shift | state;
  }
  // Granules count from 0, elements of a list from 1.
  std::atomic<std::uint64_t>& word(std::uint64_t granule_number) const {
    return reinterpret_cast<std::atomic<std::uint64_t>*>(arena_ + words_offset())[granule_number];
  }
  auto words() const {
    return
        [this](std::uint64_t element) -> std::atomic<std::uint64_t>& { return word(element - 1); };
  }
  std::uint64_t words_offset() const { return offset() - (extent(size()) - size()); }
  void forget_blocks();
  // Frees a block whose word was `seen`; false: another process has.
  bool make_free(std::uint64_t granule_number, std::uint64_t seen);
  void push(std::uint64_t first, unsigned size_class) {
    state_.free[size_class].list.push(first + 1, word_of(size_class, free), words());
  }
  // Each returns the number of an element, or 0.
  std::uint64_t take_fresh(unsigned size_class);
  std::uint64_t take_chunk(unsigned size_class, std::uint64_t seen);
  std::uint64_t take_granules(std::uint64_t count);
  std::uint64_t split_larger(unsigned size_class);

  RemoteHeapState& state_;
  std::byte* arena_;
};

}  // namespace gondwana
