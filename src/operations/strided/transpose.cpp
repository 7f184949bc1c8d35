#include "operations/strided/transpose.hpp"

#include <cstdint>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Vectors have 16 bytes: every x86-64 and aarch64 processor has them and interleaves two in one
// instruction. AVX2, with two lanes in a vector and chosen at run time, is only 0.8 to 1.3 times as
// fast, because memory is the limit.
namespace gondwana::strided {
namespace {

constexpr std::size_t vector_bytes = 16;

template <typename Word>
using Vector [[gnu::vector_size(vector_bytes)]] = Word;

template <typename Word>
constexpr std::size_t words = vector_bytes / sizeof(Word);

// a0 b0 a1 b1 ... of the first (Half 0) or second half of both.
template <typename Word, std::size_t Half, std::size_t... I>
[[gnu::always_inline]] inline Vector<Word> interleave(Vector<Word> a, Vector<Word> b,
                                                      std::index_sequence<I...> /*words*/) {
  constexpr std::size_t n = sizeof...(I);
  return __builtin_shufflevector(a, b, static_cast<int>(Half * n / 2 + I / 2 + I % 2 * n)...);
}

// Leaves column i in rows[i]. A transposition interleaves row i with row i + n/2, log2(n) times.
template <typename Word>
[[gnu::always_inline]] inline void transpose_rows(Vector<Word> (&rows)[words<Word>]) {
  constexpr std::size_t n = words<Word>;
  constexpr auto all = std::make_index_sequence<n>();
#pragma GCC unroll 4
  for (std::size_t round = 1; round < n; round *= 2) {
    Vector<Word> next[n];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      next[2 * i] = interleave<Word, 0>(rows[i], rows[i + n / 2], all);
      next[2 * i + 1] = interleave<Word, 1>(rows[i], rows[i + n / 2], all);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) rows[i] = next[i];
  }
}

struct Cached {
  // Rows of the source in a tile: their pages stay in the TLB for the next lines.
  static constexpr std::size_t tile_lines = 4;

  template <typename Word>
  static void store(std::byte* target, Vector<Word> value) {
    std::memcpy(target, &value, vector_bytes);
  }
  static void finish() {}
};

// Bypasses the caches, so that lines are not read before they are overwritten. It needs whole,
// aligned lines, each written without interruption.
struct Streamed {
  static constexpr std::size_t tile_lines = 1;

  template <typename Word>
  static void store(std::byte* target, Vector<Word> value) {
#if defined(__SSE2__)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target), reinterpret_cast<__m128i&>(value));
#else
    std::memcpy(target, &value, vector_bytes);
#endif
  }
  // Later stores may overtake streaming stores, so no store may announce their completion before
  // this.
  static void finish() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
};

template <typename Word, typename Store>
[[gnu::always_inline]] inline void transpose_block(const Plane& plane, Tile first,
                                                   std::byte* target, const std::byte* source) {
  Vector<Word> rows[words<Word>];
  source += first.offset(plane, End::source);
#pragma GCC unroll 16
  for (Vector<Word>& row : rows) {
    std::memcpy(&row, source, vector_bytes);
    source += plane.inner.source;
  }
  transpose_rows<Word>(rows);
  target += first.offset(plane, End::target);
#pragma GCC unroll 16
  for (const Vector<Word>& row : rows) {
    Store::template store<Word>(target, row);
    target += plane.outer.target;
  }
}

// Both extents are multiples of a vector's words. A tile spans a few lines of the target and
// completes each line before it begins the next.
template <typename Word, typename Store>
void transpose_blocks(const Plane& plane, std::byte* target, const std::byte* source) {
  constexpr std::size_t line = cache_line / sizeof(Word);
  constexpr std::size_t step = words<Word>;
  constexpr std::size_t tile_inner = Store::tile_lines * line;
  const std::size_t inner = plane.inner.extent;
  const std::size_t outer = plane.outer.extent;
  const std::size_t tile_outer = Store::tile_lines == 1 ? outer : line;
  for (std::size_t i0 = 0; i0 < inner; i0 += tile_inner)
    for (std::size_t o0 = 0; o0 < outer; o0 += tile_outer)
      for (std::size_t i1 = i0; i1 < std::min(inner, i0 + tile_inner); i1 += line)
        for (std::size_t o = o0; o < std::min(outer, o0 + tile_outer); o += step)
          for (std::size_t i = i1; i < std::min(inner, i1 + line); i += step)
            transpose_block<Word, Store>(plane, {i, o}, target, source);
  Store::finish();
}

// Transposes the blocks and the edges around them: `head` words before the first aligned line of
// the target, and the rest of both dimensions.
template <typename Word, typename Store>
void transpose_with_edges(const Plane& plane, std::size_t head, std::size_t step, std::byte* target,
                          const std::byte* source) {
  const std::size_t inner = (plane.inner.extent - head) / step * step;
  const std::size_t outer = plane.outer.extent / words<Word> * words<Word>;
  const auto word_by_word = copy_plane<StoredWord<Word>>;
  copy_tile(transpose_blocks<Word, Store>, plane, {head, 0}, {inner, outer}, target, source);
  copy_tile(word_by_word, plane, {0, 0}, {head, outer}, target, source);
  copy_tile(word_by_word, plane, {head + inner, 0}, {plane.inner.extent, outer}, target, source);
  copy_tile(word_by_word, plane, {0, outer}, {plane.inner.extent, plane.outer.extent}, target,
            source);
}

template <typename Word>
void transpose_cached(const Plane& plane, std::byte* target, const std::byte* source) {
  transpose_with_edges<Word, Cached>(plane, 0, words<Word>, target, source);
}

template <typename Word>
void transpose_streamed(const Plane& plane, std::byte* target, const std::byte* source) {
  const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % cache_line;
  const std::size_t head = (cache_line - past) % cache_line / sizeof(Word);
  transpose_with_edges<Word, Streamed>(plane, head, cache_line / sizeof(Word), target, source);
}

// From this size on, streaming stores are 1.5 to 3 times as fast if memory is slow. Below it, the
// target's lines are better kept in a cache.
constexpr std::size_t streamed_bytes = std::size_t{8} << 20;

template <typename Word>
PlaneCopy kernel_of(const Plane& plane) {
  const std::size_t bytes = plane.inner.extent * plane.outer.extent * sizeof(Word);
  // Streaming is slow with more open lines than the processor has buffers, so at most 4 rows are
  // used.
  if (words<Word> <= 4 && bytes >= streamed_bytes &&
      plane.inner.extent >= 2 * cache_line / sizeof(Word) &&
      plane.outer.target % static_cast<std::ptrdiff_t>(cache_line) == 0)
    return transpose_streamed<Word>;
  return transpose_cached<Word>;
}

}  // namespace

PlaneCopy transpose_kernel(const Plane& plane) {
  if (std::min(plane.inner.extent, plane.outer.extent) * plane.piece < vector_bytes) return nullptr;
  switch (plane.piece) {
    case 1:
      return kernel_of<std::uint8_t>(plane);
    case 2:
      return kernel_of<std::uint16_t>(plane);
    case 4:
      return kernel_of<std::uint32_t>(plane);
    case 8:
      return kernel_of<std::uint64_t>(plane);
    default:
      return nullptr;
  }
}

}  // namespace gondwana::strided
