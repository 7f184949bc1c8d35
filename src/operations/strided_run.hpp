// Puts and gets of strided pieces that are packed into one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/types.hpp"
#include "operations/copy.hpp"

namespace gondwana {

// Pieces of one size with constant strides, at a peer and here.
struct StridedRun {
  std::size_t size = 0;  // bytes of each piece
  std::size_t count = 0;
  std::uint64_t there = 0;          // start of the first piece, in the arena of the peer
  std::ptrdiff_t there_stride = 0;  // from the start of one piece to the start of the next
  std::byte* here = nullptr;        // a put only reads it
  std::ptrdiff_t here_stride = 0;

  constexpr std::size_t bytes() const { return size * count; }
};

// The most runs in one message.
inline constexpr std::size_t max_runs = 256;

constexpr std::size_t bytes_of(std::span<const StridedRun> all) {
  std::size_t bytes = 0;
  for (const StridedRun& each : all) bytes += each.bytes();
  return bytes;
}

// The pieces at one end.
struct Strided {
  std::byte* first;
  std::ptrdiff_t stride;
};
struct ConstStrided {
  const std::byte* first;
  std::ptrdiff_t stride;
};

namespace detail {

// Whether all pieces are aligned words. Then each is one load and one store.
template <typename Word>
inline bool are_words(const std::byte* first, std::ptrdiff_t stride) {
  return is_aligned_for<Word>(first) && stride % std::ptrdiff_t{sizeof(Word)} == 0;
}

template <typename Word>
inline void copy_words(Strided to, ConstStrided from, std::size_t count) {
  for (; count > 0; --count, to.first += to.stride, from.first += from.stride) {
    Word value;
    load_word<Word>(reinterpret_cast<std::byte*>(&value), from.first);
    store_word<Word>(to.first, reinterpret_cast<const std::byte*>(&value));
  }
}

}  // namespace detail

// A piece that is an aligned word at one end is one store, or one load, there. No aligned word of a
// longer piece is torn at the target.
inline void copy_pieces(Strided to, ConstStrided from, std::size_t size, std::size_t count) {
  const bool are_words = size == 8 && detail::are_words<std::uint64_t>(to.first, to.stride) &&
                         detail::are_words<std::uint64_t>(from.first, from.stride);
  if (are_words) return detail::copy_words<std::uint64_t>(to, from, count);
  for (; count > 0; --count, to.first += to.stride, from.first += from.stride) {
    if (size > 8) {
      copy_words(to.first, from.first, size);
      continue;
    }
    std::uint64_t value = 0;
    copy_from_peer(reinterpret_cast<std::byte*>(&value), from.first, size);
    copy_to_peer(to.first, reinterpret_cast<const std::byte*>(&value), size);
  }
}

// Copies into a message, and out of one.
inline void pack(std::span<const StridedRun> all, std::byte* packed) {
  for (const StridedRun& each : all) {
    const auto size = static_cast<std::ptrdiff_t>(each.size);
    copy_pieces({packed, size}, {each.here, each.here_stride}, each.size, each.count);
    packed += each.bytes();
  }
}
inline void unpack(std::span<const StridedRun> all, const std::byte* packed) {
  for (const StridedRun& each : all) {
    const auto size = static_cast<std::ptrdiff_t>(each.size);
    copy_pieces({each.here, each.here_stride}, {packed, size}, each.size, each.count);
    packed += each.bytes();
  }
}

}  // namespace gondwana
