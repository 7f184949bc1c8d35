// Which addresses of a rank its peers have too: its arena, and the program's globals, which the
// program knows by addresses of their own. A value; zero holds nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"
#include "memory/heap.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

// A size known when compiling.
template <std::size_t Size>
using FixedSize = std::integral_constant<std::size_t, Size>;

struct SymmetricRanges {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::uintptr_t arena = 0;  // where it begins
  std::size_t length = 0;    // from behind the system part to the end of the heap
  MutableBytes globals;

  // The offset of [object, object + size) in the arena, or `nowhere`.
  std::size_t offset_of(const void* object, std::size_t size) const {
    const std::size_t offset = distance(object);
    return is_in_arena(offset, size) ? offset : offset_in_globals(object, size);
  }

  // Its parts, for who must be fast.
  std::size_t distance(const void* object) const {
    return reinterpret_cast<std::uintptr_t>(object) - arena;  // huge for what lies before it
  }
  // One compare for a fixed size: an arena has a granule of heap at least, so taking the size from
  // the length never wraps.
  template <std::size_t Size>
    requires(Size <= Heap::granule)
  bool is_in_arena(std::size_t offset, FixedSize<Size> /*size*/) const {
    return offset - NodePlan::system_size <= length - Size;
  }
  bool is_in_arena(std::size_t offset, std::size_t size) const {
    const std::size_t at = offset - NodePlan::system_size;
    return at <= length && size <= length - at;
  }
  std::size_t offset_in_globals(const void* object, std::size_t size) const {
    const auto at =
        static_cast<std::size_t>(static_cast<const std::byte*>(object) - globals.data());
    if (at > globals.size() || size > globals.size() - at) return nowhere;
    return NodePlan::globals_offset + at;
  }
};

}  // namespace gondwana
