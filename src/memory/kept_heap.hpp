// What a rank leaves for the process that replaces it: the blocks of its symmetric heap, and the
// addresses of its memory and its program. It lies in the rank's arena; only the rank writes it.
// With it the blocks of the replacement have the offsets that other ranks know.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gondwana {

// A block. All zero: none.
struct KeptBlock {
  std::atomic<std::uint64_t> offset;  // in the heap
  std::atomic<std::uint64_t> asked;   // the bytes that the program asked for
  std::atomic<std::uint64_t> size;    // written last; 0: none
};

struct KeptHeap {
  static constexpr std::size_t most = 1600;

  std::atomic<std::uint64_t> window;     // the address of the arena
  std::atomic<std::uint64_t> globals;    // of the program's variables
  std::atomic<std::uint64_t> library;    // of a constant of the C library
  std::atomic<std::uint32_t> overflows;  // 1: there were more blocks than places
  std::array<KeptBlock, most> blocks;

  // Replaces what is known of a block at this offset.
  void add(std::size_t offset, std::size_t size, std::size_t asked) {
    KeptBlock* place = find(offset);
    for (std::size_t i = 0; place == nullptr && i < most; ++i)
      if (blocks[i].size.load(std::memory_order_relaxed) == 0) place = &blocks[i];
    if (place == nullptr) return overflows.store(1, std::memory_order_relaxed);
    place->size.store(0, std::memory_order_release);
    place->offset.store(offset, std::memory_order_relaxed);
    place->asked.store(asked, std::memory_order_relaxed);
    place->size.store(size, std::memory_order_release);
  }
  void remove(std::size_t offset) {
    if (KeptBlock* place = find(offset)) place->size.store(0, std::memory_order_release);
  }
  void remove_all() {
    for (KeptBlock& block : blocks) block.size.store(0, std::memory_order_relaxed);
  }

 private:
  KeptBlock* find(std::size_t offset) {
    for (KeptBlock& block : blocks)
      if (block.size.load(std::memory_order_relaxed) != 0 &&
          block.offset.load(std::memory_order_relaxed) == offset)
        return &block;
    return nullptr;
  }
};

}  // namespace gondwana
