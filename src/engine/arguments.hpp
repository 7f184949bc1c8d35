// What the calls of the engine are told beside ranks and addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gondwana {

// Where the elements of a strided transfer lie: distances in elements, not bytes; may be negative.
struct Strides {
  std::ptrdiff_t target;
  std::ptrdiff_t source;
};

// What each member has for each other one: `count` elements, `strides` apart. The block of a member
// begins count x stride elements behind that of the one before.
struct Exchange {
  std::size_t width;  // bytes of an element
  std::size_t count;
  Strides strides;
};

// Whether a member's own term is in its result.
enum class Scan : std::uint8_t { inclusive, exclusive };

// Whether a broadcast writes the destination of its root, too.
enum class RootDest : std::uint8_t { written, kept };

// How long a transfer may use this rank's buffer: a put its source, a get its destination.
enum class Buffer : std::uint8_t { free_at_return, kept_until_quiet };

// A 64-bit word of the target that says that data has come.
enum class SignalOp : std::uint8_t { set, add };
struct Signal {
  std::uint64_t* word;  // this rank's address of it
  std::uint64_t value;
  SignalOp op;
};

}  // namespace gondwana
