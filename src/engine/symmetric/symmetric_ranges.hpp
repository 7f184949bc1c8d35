// The addresses of a rank that its peers have too: its arena, and the program's globals, which have
// their own addresses. A value type; the default value contains nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/types.hpp"
#include "memory/heap.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {

// A size known at compile time.
template <std::size_t Size>
using FixedSize = std::integral_constant<std::size_t, Size>;

struct SymmetricRanges {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  std::uintptr_t arena = 0;  // its start
  std::size_t length = 0;    // from the end of the system area to the end of the heap
  MutableBytes globals;

  // The offset of [object, object + size) in the arena, or `nowhere`.
  std::size_t offset_of(const void* object, std::size_t size) const {
    const std::size_t offset = distance(object);
    return is_in_arena(offset, size) ? offset : offset_in_globals(object, size);
  }

  // The steps of offset_of(), for callers on a hot path.
  std::size_t distance(const void* object) const {
    return reinterpret_cast<std::uintptr_t>(object) - arena;  // huge for addresses before it
  }
  // One comparison for a fixed size. The heap has at least one granule, so length - Size never
  // wraps.
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
