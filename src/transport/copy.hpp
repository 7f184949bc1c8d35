// Copying into memory that somebody may be polling.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/types.hpp"

namespace gondwana {

#if defined(__SANITIZE_THREAD__)
// ThreadSanitizer does not know that fence() orders what is around it: let each small store publish
// what came before it. x86 and aarch64 builds without it use plain stores.
inline constexpr std::memory_order small_store_order = std::memory_order_release;
inline constexpr std::memory_order small_load_order = std::memory_order_acquire;
#else
inline constexpr std::memory_order small_store_order = std::memory_order_relaxed;
inline constexpr std::memory_order small_load_order = std::memory_order_relaxed;
#endif

template <typename Word>
inline bool aligned_for(const void* a, const void* b) {
  return ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) %
          sizeof(Word)) == 0;
}

// One store at the target, never torn.
template <typename Word>
inline void store_word(std::byte* target, Word value) {
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(target)).store(value, small_store_order);
}

template <typename Word>
inline Word load_word(const std::byte* source) {
  auto& word = *reinterpret_cast<Word*>(const_cast<std::byte*>(source));
  return std::atomic_ref<Word>(word).load(small_load_order);
}

namespace detail {

template <typename Word>
inline bool put_word(std::byte* target, const std::byte* source) {
  if (!aligned_for<Word>(target, target)) return false;
  Word value;
  std::memcpy(&value, source, sizeof(Word));
  store_word(target, value);
  return true;
}

template <typename Word>
inline bool get_word(std::byte* target, const std::byte* source) {
  if (!aligned_for<Word>(source, source)) return false;
  const Word value = load_word<Word>(source);
  std::memcpy(target, &value, sizeof(Word));
  return true;
}

}  // namespace detail

// To a peer: 1, 2, 4 or 8 bytes aligned at the target are one store; everything else is memcpy.
inline void copy_to_peer(std::byte* target, const std::byte* source, std::size_t size) {
  if (size > 8) {
    std::memcpy(target, source, size);
    return;
  }
  if (size == 8 && detail::put_word<std::uint64_t>(target, source)) return;
  if (size == 4 && detail::put_word<std::uint32_t>(target, source)) return;
  if (size == 2 && detail::put_word<std::uint16_t>(target, source)) return;
  if (size == 1 && detail::put_word<std::uint8_t>(target, source)) return;
  std::memcpy(target, source, size);
}

// From a peer: the same, as one load.
inline void copy_from_peer(std::byte* target, const std::byte* source, std::size_t size) {
  if (size > 8) {
    std::memcpy(target, source, size);
    return;
  }
  if (size == 8 && detail::get_word<std::uint64_t>(target, source)) return;
  if (size == 4 && detail::get_word<std::uint32_t>(target, source)) return;
  if (size == 2 && detail::get_word<std::uint16_t>(target, source)) return;
  if (size == 1 && detail::get_word<std::uint8_t>(target, source)) return;
  std::memcpy(target, source, size);
}

// A value of a type, at a place aligned for it.
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
