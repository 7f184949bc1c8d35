// Sizes of strided and repeated arrays. A size that overflows exceeds every arena.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/arguments.hpp"

namespace gondwana {

// The bytes that `count` blocks of `block` bytes span, and their start relative to the first block.
struct Extent {
  std::ptrdiff_t begin;
  std::size_t size;
};

// `stride`: distance from the start of one block to the next, in elements of `width` bytes.
inline Extent extent_of(std::size_t count, std::ptrdiff_t stride, std::size_t width,
                        std::size_t block) {
  constexpr Extent too_much{0, ~std::size_t{0} / 2};
  std::ptrdiff_t last = 0;
  if (__builtin_mul_overflow(count - 1, stride, &last) ||
      __builtin_mul_overflow(last, width, &last))
    return too_much;
  const auto offset = static_cast<std::size_t>(last);
  std::size_t size = 0;
  if (__builtin_add_overflow(last < 0 ? 0 - offset : offset, block, &size)) return too_much;
  return {last < 0 ? last : 0, size};
}

constexpr std::size_t times(std::size_t size, std::size_t count) {
  std::size_t product = 0;
  return __builtin_mul_overflow(size, count, &product) ? ~std::size_t{0} / 2 : product;
}

// Bytes from the first element of the first block of an exchange through the last element of the
// last. `stride`: that of the array.
inline std::size_t span_of(const Exchange& shape, std::ptrdiff_t stride, std::uint32_t members) {
  const std::size_t elements = times(shape.count, members);
  return elements == 0 ? 0 : extent_of(elements, stride, shape.width, shape.width).size;
}

// The bytes of a stride whose extent does not overflow.
constexpr std::ptrdiff_t byte_stride(std::ptrdiff_t stride, std::size_t width) {
  return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(stride) * width);
}

// From one block to the next, in bytes.
constexpr Strides byte_strides(const Blocks& blocks) {
  return {.target = byte_stride(blocks.strides.target, blocks.width),
          .source = byte_stride(blocks.strides.source, blocks.width)};
}

}  // namespace gondwana
