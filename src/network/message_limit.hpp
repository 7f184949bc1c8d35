// The longest message that every network must carry in one piece.
#pragma once

#include <cstddef>

namespace gondwana {

// In bytes. The library sends no longer messages.
inline constexpr std::size_t message_limit = 72 * 1024;

}  // namespace gondwana
