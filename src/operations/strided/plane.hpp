// The two innermost loops of a strided copy, specialized by how one piece is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "operations/copy.hpp"
#include "operations/strided/transfer.hpp"

namespace gondwana::strided {

// A matrix of pieces; `inner` varies fastest.
struct Plane {
  std::size_t piece;
  Dimension inner;
  Dimension outer;
};

using PlaneCopy = void (*)(const Plane& plane, std::byte* target, const std::byte* source);

template <typename M>
concept Move = requires(std::byte* target, const std::byte* source, std::size_t piece) {
  M::move(target, source, piece);
};

// A word aligned at both ends is one load and one store, because either end may be a peer's.
template <typename Word>
struct AlignedWord {
  static void move(std::byte* target, const std::byte* source, std::size_t /*piece*/) {
    Word value;
    load_word<Word>(reinterpret_cast<std::byte*>(&value), source);
    store_word<Word>(target, reinterpret_cast<const std::byte*>(&value));
  }
};

// The word is aligned only at the target.
template <typename Word>
struct StoredWord {
  static void move(std::byte* target, const std::byte* source, std::size_t /*piece*/) {
    store_word<Word>(target, source);
  }
};

template <std::size_t Size>
struct FixedPiece {
  static void move(std::byte* target, const std::byte* source, std::size_t /*piece*/) {
    std::memcpy(target, source, Size);
  }
};

// A call costs more than a few stores of Chunk bytes. A piece is longer than a chunk; the last
// store overlaps the one before it. At a target that is a multiple of 8 bytes, no word is visible
// half-written, because the last store repeats bytes of complete words.
template <std::size_t Chunk>
struct ChunkedPiece {
  static constexpr std::size_t longest_piece = 256;

  static void move(std::byte* target, const std::byte* source, std::size_t piece) {
    for (std::size_t i = 0; i + Chunk < piece; i += Chunk)
      std::memcpy(target + i, source + i, Chunk);
    std::memcpy(target + piece - Chunk, source + piece - Chunk, Chunk);
  }
};

struct AnyPiece {
  static void move(std::byte* target, const std::byte* source, std::size_t piece) {
    copy_to_peer(target, source, piece);
  }
};

template <Move M>
void copy_plane(const Plane& plane, std::byte* target, const std::byte* source) {
  for (std::size_t row = 0; row < plane.outer.extent; ++row) {
    std::byte* to = target;
    const std::byte* from = source;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < plane.inner.extent; ++i) {
      M::move(to, from, plane.piece);
      to += plane.inner.target;
      from += plane.inner.source;
    }
    target += plane.outer.target;
    source += plane.outer.source;
  }
}

// The first index of a part of a plane, or its extents.
struct Tile {
  std::size_t inner;
  std::size_t outer;

  std::ptrdiff_t offset(const Plane& plane, End end) const {
    return static_cast<std::ptrdiff_t>(inner) * plane.inner.stride(end) +
           static_cast<std::ptrdiff_t>(outer) * plane.outer.stride(end);
  }
};

inline void copy_tile(PlaneCopy copy, const Plane& plane, Tile first, Tile size, std::byte* target,
                      const std::byte* source) {
  Plane part = plane;
  part.inner.extent = std::min(size.inner, plane.inner.extent - first.inner);
  part.outer.extent = std::min(size.outer, plane.outer.extent - first.outer);
  if (part.inner.extent == 0 || part.outer.extent == 0) return;
  copy(part, target + first.offset(plane, End::target), source + first.offset(plane, End::source));
}

}  // namespace gondwana::strided
