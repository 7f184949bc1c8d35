// Copies that a peer may poll. Every naturally aligned word at the target is written by one store,
// and only once, whatever the alignment of the source. memcpy does not promise that: it may store
// the first bytes last, or a word in two parts.
//
// Stores begin and end at multiples of 8 bytes. Only the bytes before the first multiple and after
// the last one use stores of 1, 2 and 4 bytes. A vector store at a multiple of 8 does not tear
// words: the processor writes it at once, or splits it at a cache line boundary.
#include "operations/copy.hpp"

#include <utility>

#include "core/access_checkers.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gondwana {
namespace {

// From this size in bytes on, the width of vectors matters.
constexpr std::size_t wide_size = 512;

struct Copy {
  std::byte* target;
  const std::byte* source;
  std::size_t size;  // remaining bytes

  [[gnu::always_inline]] bool is_aligned_to(std::size_t unit) const {
    return reinterpret_cast<std::uintptr_t>(target) % unit == 0;
  }
  [[gnu::always_inline]] void advance(std::size_t done) {
    target += done;
    source += done;
    size -= done;
  }
};

template <typename Word>
[[gnu::always_inline]] inline void move_word(Copy& copy) {
  Word value;
  std::memcpy(&value, copy.source, sizeof(Word));
  *reinterpret_cast<volatile Word*>(copy.target) = value;
  copy.advance(sizeof(Word));
}

template <std::size_t Width>
struct Vector {
  using Type [[gnu::vector_size(Width)]] = char;
};

// Each memcpy is one instruction. The fence, which emits none, prevents the compiler from replacing
// a loop of them by a call.
template <std::size_t Width, std::size_t Count>
[[gnu::always_inline]] inline void move_vectors(Copy& copy) {
  typename Vector<Width>::Type values[Count];
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (std::memcpy(&values[I], copy.source + I * Width, Width), ...);
    (std::memcpy(copy.target + I * Width, &values[I], Width), ...);
  }(std::make_index_sequence<Count>());
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy.advance(Width * Count);
}

// Advances to the next multiple of 8 bytes at the target, or as far as whole pieces fit.
[[gnu::always_inline]] inline void move_head(Copy& copy) {
  if (!copy.is_aligned_to(2) && copy.size >= 1) move_word<std::uint8_t>(copy);
  if (!copy.is_aligned_to(4) && copy.size >= 2) move_word<std::uint16_t>(copy);
  if (!copy.is_aligned_to(8) && copy.size >= 4) move_word<std::uint32_t>(copy);
}

[[gnu::always_inline]] inline void move_tail(Copy& copy) {
  if ((copy.size & 4) != 0) move_word<std::uint32_t>(copy);
  if ((copy.size & 2) != 0) move_word<std::uint16_t>(copy);
  if ((copy.size & 1) != 0) move_word<std::uint8_t>(copy);
}

// Fewer than `wide_size` bytes, to a multiple of 8. Short copies have few branches.
[[gnu::always_inline]] inline void move_rest(Copy& copy) {
  const std::size_t vectors = copy.size / 16;
  if (vectors <= 2) {
    if (vectors >= 1) move_vectors<16, 1>(copy);
    if (vectors == 2) move_vectors<16, 1>(copy);
  } else if (vectors <= 4) {
    move_vectors<16, 3>(copy);
    if (vectors == 4) move_vectors<16, 1>(copy);
  } else {
    if ((vectors & 16) != 0) move_vectors<16, 16>(copy);
    if ((vectors & 8) != 0) move_vectors<16, 8>(copy);
    if ((vectors & 4) != 0) move_vectors<16, 4>(copy);
    if ((vectors & 2) != 0) move_vectors<16, 2>(copy);
    if ((vectors & 1) != 0) move_vectors<16, 1>(copy);
  }
  if ((copy.size & 8) != 0) move_word<std::uint64_t>(copy);
  if (copy.size != 0) move_tail(copy);
}

template <std::size_t Width>
[[gnu::always_inline]] inline void move_wide(Copy& copy) {
  while (!copy.is_aligned_to(Width)) move_word<std::uint64_t>(copy);
  constexpr std::size_t step = 256;  // bytes; as many as fit into the registers
  while (copy.size >= step) move_vectors<Width, step / Width>(copy);
  move_rest(copy);
}

void move_by_16(std::byte* target, const std::byte* source, std::size_t size) {
  Copy copy{target, source, size};
  move_wide<16>(copy);
}

#if defined(__x86_64__)

[[gnu::target("avx2")]] void move_by_32(std::byte* target, const std::byte* source,
                                        std::size_t size) {
  Copy copy{target, source, size};
  move_wide<32>(copy);
}
[[gnu::target("avx512f")]] void move_by_64(std::byte* target, const std::byte* source,
                                           std::size_t size) {
  Copy copy{target, source, size};
  move_wide<64>(copy);
}

// Each step of this instruction is one load and one store of 8 bytes, as observed by other
// processors. A processor with fast strings combines them into lines.
void move_string(std::byte* target, const std::byte* source, std::size_t size) {
  Copy copy{target, source, size};
  while (!copy.is_aligned_to(cache_line)) move_word<std::uint64_t>(copy);
  // NOLINTNEXTLINE(misc-const-correctness): the instruction counts it down
  std::size_t words = copy.size / cache_line * (cache_line / sizeof(std::uint64_t));
  copy.size %= cache_line;
  asm volatile("rep movsq" : "+D"(copy.target), "+S"(copy.source), "+c"(words) : : "memory");
  move_rest(copy);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // its checks do not cover inline assembly
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||
                              __has_feature(thread_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

bool find_fast_strings() {
  constexpr unsigned fast_strings = 1U << 9;  // of leaf 7, in ebx
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return !is_sanitized && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 &&
         (ebx & fast_strings) != 0;
}
bool has_fast_strings() {
  static const bool has = find_fast_strings();
  return has;
}

[[gnu::noinline]] void move_large(std::byte* target, const std::byte* source, std::size_t size) {
  constexpr std::size_t large = 24 * 1024;  // bytes; less than the L1 cache
  if (size >= large && has_fast_strings()) return move_string(target, source, size);
  // Loads of whole lines pay off if no load crosses a line boundary. Processors with this extension
  // do not lower their frequency for them.
  const auto apart =
      reinterpret_cast<std::uintptr_t>(source) - reinterpret_cast<std::uintptr_t>(target);
  const bool are_lines = apart % cache_line == 0;
  if (are_lines && __builtin_cpu_supports("avx512vbmi2")) return move_by_64(target, source, size);
  if (__builtin_cpu_supports("avx2")) return move_by_32(target, source, size);
  move_by_16(target, source, size);
}

#else

[[gnu::noinline]] void move_large(std::byte* target, const std::byte* source, std::size_t size) {
  move_by_16(target, source, size);
}

#endif

}  // namespace

// AddressSanitizer checks memcpy in this library, but not the loops and instructions of this file.
void copy_words(std::byte* target, const std::byte* source, std::size_t size) {
  if (has_address_sanitizer()) [[unlikely]] {
    if (size > 0) std::memcpy(target, source, size);
    return;
  }
  Copy copy{target, source, size};
  if (!copy.is_aligned_to(sizeof(std::uint64_t))) [[unlikely]]
    move_head(copy);
  if (copy.size >= wide_size) return move_large(copy.target, copy.source, copy.size);
  move_rest(copy);
}

}  // namespace gondwana
