#pragma once

#include <cstddef>

namespace gondwana {

// The most bytes that one message carries: the payload of a medium active message, a put, the
// results of a batch.
inline constexpr std::size_t longest_medium = std::size_t{64} << 10;

}  // namespace gondwana
