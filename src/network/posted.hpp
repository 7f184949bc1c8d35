// The outcome of an attempt to post an operation or a message.
#pragma once

#include <cstdint>

namespace gondwana {

// `busy`: the queue is full. Make progress and retry; the attempt had no effect.
enum class Posted : std::uint8_t { accepted, busy };

}  // namespace gondwana
