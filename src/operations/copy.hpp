// Copies into and out of memory that a peer may be polling.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/types.hpp"

namespace gondwana {

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer does not know that fence() orders the stores around it, so each small store is a
// release. Other builds use plain stores on x86 and aarch64.
inline constexpr std::memory_order small_store_order = std::memory_order_release;
inline constexpr std::memory_order small_load_order = std::memory_order_acquire;
#else
inline constexpr std::memory_order small_store_order = std::memory_order_relaxed;
inline constexpr std::memory_order small_load_order = std::memory_order_relaxed;
#endif

template <typename Word>
inline bool is_aligned_for(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) % sizeof(Word) == 0;
}

// One store at the target, never torn.
template <typename Word>
inline void store_word(std::byte* target, const std::byte* source) {
  Word value;
  std::memcpy(&value, source, sizeof(Word));
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(target)).store(value, small_store_order);
}

// One load at the source.
template <typename Word>
inline void load_word(std::byte* target, const std::byte* source) {
  auto& word = *reinterpret_cast<Word*>(const_cast<std::byte*>(source));
  const Word value = std::atomic_ref<Word>(word).load(small_load_order);
  std::memcpy(target, &value, sizeof(Word));
}

// Stores every naturally aligned word of 1, 2, 4 or 8 bytes at the target as a whole, and only
// once.
void copy_words(std::byte* target, const std::byte* source, std::size_t size);

namespace detail {

template <typename Word>
inline bool try_store(std::byte* target, const std::byte* source, std::size_t size) {
  if (size != sizeof(Word) || !is_aligned_for<Word>(target)) return false;
  store_word<Word>(target, source);
  return true;
}

template <typename Word>
inline bool try_load(std::byte* target, const std::byte* source, std::size_t size) {
  if (size != sizeof(Word) || !is_aligned_for<Word>(source)) return false;
  load_word<Word>(target, source);
  return true;
}

[[gnu::noinline]] inline void store_small(std::byte* target, const std::byte* source,
                                          std::size_t size) {
  if (try_store<std::uint64_t>(target, source, size) ||
      try_store<std::uint32_t>(target, source, size) ||
      try_store<std::uint16_t>(target, source, size) ||
      try_store<std::uint8_t>(target, source, size))
    return;
  copy_words(target, source, size);
}

[[gnu::noinline]] inline void load_small(std::byte* target, const std::byte* source,
                                         std::size_t size) {
  if (try_load<std::uint64_t>(target, source, size) ||
      try_load<std::uint32_t>(target, source, size) ||
      try_load<std::uint16_t>(target, source, size) || try_load<std::uint8_t>(target, source, size))
    return;
  if (size > 0) std::memcpy(target, source, size);
}

}  // namespace detail

// Copies to a peer, which may wait for any word of the target. Like copy_words(), and a copy of one
// word is ordered like other words.
[[gnu::always_inline]] inline void copy_to_peer(std::byte* target, const std::byte* source,
                                                std::size_t size) {
  if (size > 8)
    copy_words(target, source, size);
  else
    detail::store_small(target, source, size);
}

// Copies from a peer. 1, 2, 4 or 8 bytes aligned at the source are one load; everything else is
// memcpy.
[[gnu::always_inline]] inline void copy_from_peer(std::byte* target, const std::byte* source,
                                                  std::size_t size) {
  if (size > 8)
    std::memcpy(target, source, size);
  else
    detail::load_small(target, source, size);
}

// Stores a value at an address aligned for its type.
template <typename T>
inline void copy_value(std::byte* target, T value) {
  if constexpr (sizeof(T) <= 8)
    std::atomic_ref<T>(*reinterpret_cast<T*>(target)).store(value, small_store_order);
  else
    std::memcpy(target, &value, sizeof(T));
}

template <typename T>
inline T load_value(const std::byte* source) {
  auto& place = *reinterpret_cast<T*>(const_cast<std::byte*>(source));
  if constexpr (sizeof(T) <= 8)
    return std::atomic_ref<T>(place).load(small_load_order);
  else
    return place;
}

}  // namespace gondwana
