// What every network is asked to carry in one piece.
#pragma once

#include <cstddef>

namespace gondwana {

// In bytes. Longer messages are possible on no network.
inline constexpr std::size_t message_limit = 72 * 1024;

}  // namespace gondwana
