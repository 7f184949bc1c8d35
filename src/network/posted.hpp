// The outcome of an attempt to post an operation or a message.
#pragma once

#include <cstdint>

namespace gondwana {

// `busy`: no room now; progress and retry. Nothing of the operation has happened.
enum class Posted : std::uint8_t { accepted, busy };

}  // namespace gondwana
