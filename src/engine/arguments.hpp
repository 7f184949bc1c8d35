// Arguments of engine calls, other than ranks and addresses.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gondwana {

// Distances between the elements of a strided transfer, in elements, not bytes; may be negative.
struct Strides {
  std::ptrdiff_t target;
  std::ptrdiff_t source;
};

// `count` blocks of `size` bytes. The strides lead from one block to the next.
struct Blocks {
  std::size_t width;  // bytes of an element
  std::size_t size;
  std::size_t count;
  Strides strides;
};

// One block per pair of members: `count` elements, `strides` apart. A member's block begins count x
// stride elements after the previous member's block.
struct Exchange {
  std::size_t width;  // bytes of an element
  std::size_t count;
  Strides strides;
};

// Whether a member's own contribution is part of its result.
enum class Scan : std::uint8_t { inclusive, exclusive };

// Whether a broadcast also writes the dest of its root.
enum class RootDest : std::uint8_t { written, kept };

// How long a transfer may use this rank's buffer: the source of a put, the dest of a get.
enum class Buffer : std::uint8_t { free_at_return, kept_until_quiet };

// A 64-bit word of the target that announces data.
enum class SignalOp : std::uint8_t { set, add };
struct Signal {
  std::uint64_t* word;  // this rank's address of the word
  std::uint64_t value;
  SignalOp op;
};

}  // namespace gondwana
