// How the members of a team share the work on arrays that all of them have: member i processes the
// i-th part of every array, one piece at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/types.hpp"

namespace gondwana {

// Up to this size it is faster to read all arrays than to wait for the others twice.
inline constexpr std::size_t small_array = 2048;  // bytes

// A range of elements of an array.
struct Part {
  std::size_t begin;
  std::size_t count;
};

// The part of `member` in `count` elements of `width` bytes, in whole cache lines if possible.
inline Part part_of(std::size_t count, std::uint32_t members, std::uint32_t member,
                    std::size_t width) {
  const std::size_t line = std::max<std::size_t>(1, cache_line / width);
  const std::size_t each = round_up((count + members - 1) / members, line);
  const std::size_t begin = std::min(count, member * each);
  return {begin, std::min(each, count - begin)};
}

// A result before it is stored to every member. It fits in the nearest cache.
struct Piece {
  static constexpr std::size_t size = 4096;
  alignas(cache_line) std::array<std::byte, size> bytes;

  void* data() { return bytes.data(); }
};

// Calls `use` with each piece of `part`, as a Part of the same array.
template <typename Use>
void for_each_piece(Part part, std::size_t width, const Use& use) {
  const std::size_t most = Piece::size / width;
  for (std::size_t done = 0; done < part.count; done += most)
    use(Part{part.begin + done, std::min(most, part.count - done)});
}

}  // namespace gondwana
