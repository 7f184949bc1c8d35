// What a rank may name on its peers: the symmetric heap and the program's globals. Turns local
// addresses into offsets that mean the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/heap.hpp"

namespace gondwana {

class SymmetricMemory {
 public:
  // `arena`: the rank's own arena as it sees it, `globals` its variables (empty: private), already
  // laid on the arena at NodePlan::globals_offset.
  SymmetricMemory(std::byte* arena, MutableBytes globals, std::size_t heap_size);

  static constexpr std::size_t nowhere = ~std::size_t{0};

  // The offset of [address, address + size) in the arena, or `nowhere`. One compare for a size
  // known when compiling that every heap has.
  std::size_t offset_of(const void* address, std::size_t size) const {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - heap_.begin;
    if (at <= heap_.length && size <= heap_.length - at) [[likely]] return heap_.offset + at;
    return offset_in_globals(address, size);
  }

  template <std::size_t Size>
    requires(Size <= Heap::granule)
  std::size_t offset_of(const void* address) const {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - heap_.begin;
    if (at <= heap_.length - Size) [[likely]] return heap_.offset + at;
    return offset_in_globals(address, Size);
  }

  // The heap: null where it is full, or size is 0. New memory is not cleared, zeroed() is.
  void* allocate(std::size_t size, std::size_t alignment);
  void* allocate_zeroed(std::size_t size);
  // As realloc(3), contents kept up to the smaller size; null and nothing changed where it is full.
  void* resize(void* block, std::size_t size);
  // False where no block begins there.
  bool release(void* block);
  // Size of the block that begins there, 0 where none does.
  std::size_t size_of(const void* block) const;

  std::size_t heap_size() const { return heap_.length; }
  std::size_t largest_free() const;
  std::string describe() const;  // the ranges, for a message about an address outside them

 private:
  struct Range {
    std::uintptr_t begin;
    std::size_t length;
    std::size_t offset;  // of `begin` in the arena
  };

  std::size_t offset_in_globals(const void* address, std::size_t size) const {
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - globals_.begin;
    return at <= globals_.length && size <= globals_.length - at ? globals_.offset + at : nowhere;
  }
  std::byte* heap_data() const;
  std::size_t heap_offset_of(const void* block) const;
  void clear(std::size_t offset, std::size_t size);

  Range heap_;
  Range globals_;
  mutable std::mutex mutex_;  // guards the bookkeeping below
  Heap book_;
  std::size_t touched_ = 0;  // no byte of the heap from here on was ever handed out
};

}  // namespace gondwana
