// What a rank may name on its peers: the symmetric heap and the program's globals. Turns local
// addresses into offsets that mean the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>

#include "core/result.hpp"
#include "core/types.hpp"
#include "memory/heap.hpp"

namespace gondwana {

// A size known when compiling.
template <std::size_t Size>
using FixedSize = std::integral_constant<std::size_t, Size>;

class SymmetricMemory {
 public:
  // `arena`: the rank's own arena as it sees it, `globals` its variables (empty: private), already
  // laid on the arena at NodePlan::globals_offset.
  SymmetricMemory(std::byte* arena, MutableBytes globals, std::size_t heap_size);

  // Where [object, object + size) lies in the arena of a peer that begins at `window` in this
  // process; null where it is not symmetric. One compare for a size known when compiling.
  template <typename Size>
  [[gnu::always_inline]] std::byte* place_in(std::byte* window, const void* object,
                                             Size size) const {
    if (heap_holds(object, size)) [[likely]]
      return window + heap_.offset_of(object);
    if (globals_.holds(object, size)) return window + globals_.offset_of(object);
    return nullptr;
  }

  // The same as an offset that means the same on every rank.
  std::optional<std::size_t> offset_of(const void* object, std::size_t size) const {
    if (heap_.holds(object, size)) return heap_.offset_of(object);
    if (globals_.holds(object, size)) return globals_.offset_of(object);
    return std::nullopt;
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

    std::size_t distance(const void* object) const {
      return reinterpret_cast<std::uintptr_t>(object) - begin;  // huge for what lies before it
    }
    bool holds(const void* object, std::size_t size) const {
      return distance(object) <= length && size <= length - distance(object);
    }
    std::size_t offset_of(const void* object) const { return offset + distance(object); }
  };

  // One compare: a heap has at least a granule, so its length less a smaller size never wraps.
  template <std::size_t Size>
    requires(Size <= Heap::granule)
  bool heap_holds(const void* object, FixedSize<Size> /*size*/) const {
    return heap_.distance(object) <= heap_.length - Size;
  }
  bool heap_holds(const void* object, std::size_t size) const { return heap_.holds(object, size); }

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
