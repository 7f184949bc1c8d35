#include "engine/collectives/staged/copy_for_others.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/types.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace gondwana::staged {
namespace {

#if defined(__x86_64__)

// Copies whole cache lines, so that each leaves the processor at once. Streaming stores are
// unordered, so a fence orders them before the release store that announces them.
void stream(std::byte* dest, const std::byte* source, std::size_t lines) {
  for (std::size_t i = 0; i < lines; ++i, dest += cache_line, source += cache_line)
    for (std::size_t at = 0; at < cache_line; at += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(dest + at),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + at)));
  _mm_sfence();
}

#else

void stream(std::byte* dest, const std::byte* source, std::size_t lines) {
  std::memcpy(dest, source, lines * cache_line);
}

#endif

}  // namespace

void copy_for_others(std::byte* dest, const std::byte* source, std::size_t size) {
  constexpr std::size_t worthwhile = 8192;
  if (size <= worthwhile) {
    if (size > 0) std::memcpy(dest, source, size);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(dest);
  const std::size_t head = round_up(address, cache_line) - address;
  const std::size_t lines = (size - head) / cache_line;
  const std::size_t tail = head + lines * cache_line;
  std::memcpy(dest, source, head);
  stream(dest + head, source + head, lines);
  std::memcpy(dest + tail, source + tail, size - tail);
}

}  // namespace gondwana::staged
