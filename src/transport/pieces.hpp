// A put in pieces of one size, each as far from the one before, that travel packed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/types.hpp"
#include "transport/copy.hpp"

namespace gondwana {

// Where they lie at the target: the starts of two are `stride` bytes apart.
struct Pieces {
  std::uint32_t size = 0;  // bytes of each
  std::uint32_t count = 0;
  std::int64_t stride = 0;

  // From the first to the last.
  constexpr std::int64_t distance() const { return stride * (std::int64_t{count} - 1); }
};

// `packed`: the pieces one behind the other. Each that is an aligned word is one store.
inline void copy_pieces(std::byte* first, const Pieces& pieces, Bytes packed) {
  const std::byte* source = packed.data();
  for (std::uint32_t i = 0; i < pieces.count; ++i, source += pieces.size)
    copy_to_peer(first + static_cast<std::int64_t>(i) * pieces.stride, source,
                 std::size_t{pieces.size});
}

}  // namespace gondwana
