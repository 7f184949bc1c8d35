// The sizes of the blocks of a remote heap, in granules: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20
// and so on, four for each power of two. So at most a fifth of a block of more than four granules
// is unused.
#pragma once

#include <bit>
#include <cstdint>

namespace gondwana {

struct BlockClasses {
  static constexpr unsigned count = 124;
  static constexpr std::uint64_t most_granules = (std::uint64_t{1} << 32) - 1;  // of all blocks

  // The smallest class of at least this many granules, 1 to most_granules.
  static constexpr unsigned holding(std::uint64_t granules) {
    if (granules <= 4) return static_cast<unsigned>(granules) - 1;
    const auto shift = static_cast<unsigned>(std::bit_width(granules - 1)) - 3;
    return 4 * shift + static_cast<unsigned>((granules - 1) >> shift);
  }
  // The largest class of at most this many granules.
  static constexpr unsigned within(std::uint64_t granules) {
    const unsigned holds = holding(granules);
    return holds == 0 || size_of(holds) == granules ? holds : holds - 1;
  }
  static constexpr std::uint64_t size_of(unsigned number) {
    if (number < 4) return number + 1;
    const unsigned shift = number / 4 - 1;
    return std::uint64_t{number % 4 + 5} << shift;
  }
};

static_assert(BlockClasses::holding(BlockClasses::most_granules) == BlockClasses::count - 1);

}  // namespace gondwana
