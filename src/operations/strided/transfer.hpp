// A strided transfer copies one array section to another, relative to two base addresses. Sections
// may be transposed (the strides of the two ends grow in different orders) and reflected (a stride
// is negative).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/result.hpp"

namespace gondwana::strided {

enum class End : std::uint8_t { target, source };

// The arguments of a front door: dimensions in any order, strides in bytes. The three spans must
// have the same length.
struct Description {
  std::size_t element;  // contiguous bytes at both ends
  std::span<const std::size_t> extents;
  std::span<const std::ptrdiff_t> target_strides;
  std::span<const std::ptrdiff_t> source_strides;
};

struct Dimension {
  std::size_t extent;
  std::ptrdiff_t target;  // bytes from one index to the next
  std::ptrdiff_t source;

  std::ptrdiff_t stride(End end) const { return end == End::target ? target : source; }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

// Byte offsets from a base address, `end` excluded.
struct Bounds {
  std::ptrdiff_t begin;
  std::ptrdiff_t end;

  friend bool operator==(const Bounds&, const Bounds&) = default;
};

// The canonical form of a Description. Only optimize() creates it, and none of its values
// overflows.
//
// Dimension 0 is the bytes of a piece, contiguous at both ends: {piece, 1, 1}. So folding and
// cutting treat a piece like any other dimension. Every other dimension has an extent of at
// least 2. An empty transfer has no dimensions. Transfers are packed and cut in the order of the
// dimensions, the first one fastest.
class Transfer {
 public:
  // Without the piece. Each dimension at least doubles the bytes, so more would be 4 GiB of single
  // bytes or more.
  static constexpr std::size_t max_dimensions = 32;

  Transfer() = default;
  Transfer(const Transfer& other) { *this = other; }
  Transfer& operator=(const Transfer& other);  // copies only the dimensions in use

  bool is_empty() const { return count_ == 0; }
  std::size_t piece() const { return count_ == 0 ? 0 : dimensions_[0].extent; }
  std::size_t bytes() const;
  std::span<const Dimension> dimensions() const { return {dimensions_.data(), count_}; }

  // The offset of the first byte from the base address of that end.
  std::ptrdiff_t offset(End end) const { return end == End::target ? target_ : source_; }

  // The range of bytes that the transfer accesses at one end.
  Bounds bounds(End end) const;

  friend bool operator==(const Transfer& left, const Transfer& right);

 private:
  friend class Optimizer;

  std::array<Dimension, max_dimensions + 1> dimensions_;
  std::size_t count_ = 0;
  std::ptrdiff_t target_ = 0;
  std::ptrdiff_t source_ = 0;
};

// The payload and the span of each end stay below this limit. No address space is larger, and the
// sum of two distances below it does not overflow.
inline constexpr std::size_t longest = std::size_t{1} << 62;

// The range of bytes that a description accesses at one end. Fails if it exceeds an address space,
// or if the description contradicts itself.
Result<Bounds> bounds(const Description& description, End end);

}  // namespace gondwana::strided
