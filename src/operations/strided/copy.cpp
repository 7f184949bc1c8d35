#include "operations/strided/copy.hpp"

#include <cstdlib>
#include <utility>

#include "operations/strided/masked.hpp"
#include "operations/strided/plane.hpp"
#include "operations/strided/transpose.hpp"

namespace gondwana::strided {
namespace {

// Stores two words at once, which is twice as fast if the target is contiguous and cached. Neither
// word is torn.
struct PackedWords {
  static void copy(const Plane& plane, std::byte* target, const std::byte* source) {
    using Pair [[gnu::vector_size(16)]] = std::uint64_t;
    for (std::size_t row = 0; row < plane.outer.extent; ++row) {
      const std::byte* from = source;
      std::size_t i = 0;
      for (; i + 2 <= plane.inner.extent; i += 2) {
        std::uint64_t first;
        std::uint64_t second;
        std::memcpy(&first, from, sizeof(first));
        std::memcpy(&second, from + plane.inner.source, sizeof(second));
        const Pair pair{first, second};
        std::memcpy(target + 8 * i, &pair, sizeof(pair));
        from += 2 * plane.inner.source;
      }
      if (i < plane.inner.extent) copy_to_peer(target + 8 * i, from, 8);
      target += plane.outer.target;
      source += plane.outer.source;
    }
  }
};

// The OR of all addresses of each end. It is a multiple of a word's size if all addresses are.
struct Alignment {
  std::uintptr_t target;
  std::uintptr_t source;

  void add(const Dimension& dimension) {
    target |= static_cast<std::uintptr_t>(dimension.target);
    source |= static_cast<std::uintptr_t>(dimension.source);
  }
};

template <typename Word>
PlaneCopy word_kernel(Alignment alignment) {
  if (alignment.target % sizeof(Word) != 0) return copy_plane<FixedPiece<sizeof(Word)>>;
  if (alignment.source % sizeof(Word) != 0) return copy_plane<StoredWord<Word>>;
  return copy_plane<AlignedWord<Word>>;
}

PlaneCopy run_kernel(const Plane& plane, Alignment alignment) {
  if (const PlaneCopy masked = masked_kernel(plane)) return masked;
  switch (plane.piece) {
    case 1:
      return word_kernel<std::uint8_t>(alignment);
    case 2:
      return word_kernel<std::uint16_t>(alignment);
    case 4:
      return word_kernel<std::uint32_t>(alignment);
    case 8:
      if (plane.inner.target == 8 && plane.inner.extent >= 4) return PackedWords::copy;
      return word_kernel<std::uint64_t>(alignment);
    case 16:
      return copy_plane<FixedPiece<16>>;
    default:
      break;
  }
  // At a target that is not a multiple of 8, two stores may split a word.
  if (alignment.target % sizeof(std::uint64_t) != 0) return copy_plane<AnyPiece>;
  switch (plane.piece) {
    case 32:
      return copy_plane<FixedPiece<32>>;
    case 64:
      return copy_plane<FixedPiece<64>>;
    default:
      if (plane.piece < 8 || plane.piece > ChunkedPiece<16>::longest_piece)
        return copy_plane<AnyPiece>;
      return plane.piece < 16 ? copy_plane<ChunkedPiece<8>> : copy_plane<ChunkedPiece<16>>;
  }
}

// Choosing a kernel takes as long as copying this number of words.
constexpr std::size_t worth_a_kernel = 16;

template <typename Word>
void copy_few_words(std::size_t count, Strided target, ConstStrided source) {
  for (; count > 0; --count, target.first += target.stride, source.first += source.stride)
    AlignedWord<Word>::move(target.first, source.first, sizeof(Word));
}

template <typename Word>
bool are_words(Strided target, ConstStrided source) {
  return (reinterpret_cast<std::uintptr_t>(target.first) |
          reinterpret_cast<std::uintptr_t>(source.first) |
          static_cast<std::uintptr_t>(target.stride) | static_cast<std::uintptr_t>(source.stride)) %
             sizeof(Word) ==
         0;
}

void copy_few(std::size_t size, std::size_t count, Strided target, ConstStrided source) {
  if (size == 8 && are_words<std::uint64_t>(target, source))
    return copy_few_words<std::uint64_t>(count, target, source);
  if (size == 4 && are_words<std::uint32_t>(target, source))
    return copy_few_words<std::uint32_t>(count, target, source);
  if (size == 2 && are_words<std::uint16_t>(target, source))
    return copy_few_words<std::uint16_t>(count, target, source);
  if (size == 1) return copy_few_words<std::uint8_t>(count, target, source);
  for (; count > 0; --count, target.first += target.stride, source.first += source.stride) {
    std::uint64_t word = 0;  // one load or store at each end that is aligned
    const std::byte* from = source.first;
    if (size <= sizeof(word)) {
      copy_from_peer(reinterpret_cast<std::byte*>(&word), from, size);
      from = reinterpret_cast<const std::byte*>(&word);
    }
    copy_to_peer(target.first, from, size);
  }
}

// How a box is traversed: a plane of its two best dimensions inside, the others around it.
struct Nest {
  Plane plane;
  PlaneCopy copy;
  bool is_tiled = false;
  std::array<Dimension, Transfer::max_dimensions> around;
  std::size_t count = 0;
};

// Removes the dimension with the smallest stride at one end.
Dimension take_nearest(Nest& nest, End end) {
  const auto distance = [end](const Dimension& dimension) {
    const std::ptrdiff_t stride = dimension.stride(end);
    return stride == 0 ? longest : static_cast<std::size_t>(std::abs(stride));
  };
  std::size_t nearest = 0;
  for (std::size_t i = 1; i < nest.count; ++i)
    if (distance(nest.around[i]) < distance(nest.around[nearest])) nearest = i;
  const Dimension taken = nest.around[nearest];
  --nest.count;
  for (std::size_t i = nearest; i < nest.count; ++i) nest.around[i] = nest.around[i + 1];
  return taken;
}

bool is_transposed(const Plane& plane) {
  return std::abs(plane.inner.target) < std::abs(plane.outer.target) &&
         std::abs(plane.inner.source) > std::abs(plane.outer.source) && plane.outer.source != 0;
}

Nest arrange(std::span<const Dimension> dimensions, Alignment alignment) {
  Nest nest;
  for (const Dimension& dimension : dimensions.subspan(1)) {
    nest.around[nest.count++] = dimension;
    alignment.add(dimension);
  }
  nest.plane.piece = dimensions[0].extent;
  nest.plane.inner = take_nearest(nest, End::target);
  nest.plane.outer = nest.count == 0 ? Dimension{1, 0, 0} : take_nearest(nest, End::source);
  const auto piece = static_cast<std::ptrdiff_t>(nest.plane.piece);
  nest.is_tiled = is_transposed(nest.plane);
  nest.copy = run_kernel(nest.plane, alignment);
  if (nest.is_tiled && nest.plane.inner.target == piece && nest.plane.outer.source == piece &&
      alignment.target % nest.plane.piece == 0)
    if (const PlaneCopy transpose = transpose_kernel(nest.plane)) {
      nest.copy = transpose;
      nest.is_tiled = false;  // the kernel does its own tiling
    }
  return nest;
}

// Tiles keep the lines of both ends in the L1 cache until all bytes of each have been used.
void copy_tiled(const Nest& nest, std::byte* target, const std::byte* source) {
  constexpr std::size_t side = 32;
  for (std::size_t outer = 0; outer < nest.plane.outer.extent; outer += side)
    for (std::size_t inner = 0; inner < nest.plane.inner.extent; inner += side)
      copy_tile(nest.copy, nest.plane, {inner, outer}, {side, side}, target, source);
}

// Traverses `depth` dimensions around the plane. The recursion is at most max_dimensions deep.
void walk(const Nest& nest, std::size_t depth, std::byte* target, const std::byte* source) {
  if (depth == 0)
    return nest.is_tiled ? copy_tiled(nest, target, source) : nest.copy(nest.plane, target, source);
  const Dimension& dimension = nest.around[depth - 1];
  for (std::size_t i = 0; i < dimension.extent; ++i) {
    walk(nest, depth - 1, target, source);
    target += dimension.target;
    source += dimension.source;
  }
}

}  // namespace

void copy_box(std::span<const Dimension> dimensions, std::byte* target, const std::byte* source) {
  if (dimensions.size() == 1) return copy_to_peer(target, source, dimensions[0].extent);
  const Nest nest = arrange(dimensions, {reinterpret_cast<std::uintptr_t>(target),
                                         reinterpret_cast<std::uintptr_t>(source)});
  walk(nest, nest.count, target, source);
}

void copy_blocks(std::size_t size, std::size_t count, Strided target, ConstStrided source) {
  if (count < worth_a_kernel) return copy_few(size, count, target, source);
  const Plane plane{size, {count, target.stride, source.stride}, {1, 0, 0}};
  Alignment alignment{reinterpret_cast<std::uintptr_t>(target.first),
                      reinterpret_cast<std::uintptr_t>(source.first)};
  alignment.add(plane.inner);
  run_kernel(plane, alignment)(plane, target.first, source.first);
}

void copy(const Transfer& transfer, std::byte* target, const std::byte* source) {
  if (transfer.is_empty()) return;
  copy_box(transfer.dimensions(), target + transfer.offset(End::target),
           source + transfer.offset(End::source));
}

}  // namespace gondwana::strided
