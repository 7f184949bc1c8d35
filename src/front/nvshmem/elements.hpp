// Elements of any type, moved by OpenSHMEM's calls for their size.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "nvshmem_types.h"
#include "shmem.h"

namespace gondwana::nvshmem {

template <std::size_t Width>
struct Sized;

template <>
struct Sized<1> {
  using Word = std::uint8_t;
  static constexpr auto put = &shmem_put8;
  static constexpr auto put_nbi = &shmem_put8_nbi;
  static constexpr auto iput = &shmem_iput8;
  static constexpr auto get = &shmem_get8;
  static constexpr auto get_nbi = &shmem_get8_nbi;
  static constexpr auto iget = &shmem_iget8;
  static constexpr auto put_signal = &shmem_put8_signal;
  static constexpr auto put_signal_nbi = &shmem_put8_signal_nbi;
  static constexpr auto p = &shmem_uint8_p;
  static constexpr auto g = &shmem_uint8_g;
};

template <>
struct Sized<2> {
  using Word = std::uint16_t;
  static constexpr auto put = &shmem_put16;
  static constexpr auto put_nbi = &shmem_put16_nbi;
  static constexpr auto iput = &shmem_iput16;
  static constexpr auto get = &shmem_get16;
  static constexpr auto get_nbi = &shmem_get16_nbi;
  static constexpr auto iget = &shmem_iget16;
  static constexpr auto put_signal = &shmem_put16_signal;
  static constexpr auto put_signal_nbi = &shmem_put16_signal_nbi;
  static constexpr auto p = &shmem_uint16_p;
  static constexpr auto g = &shmem_uint16_g;
};

template <>
struct Sized<4> {
  using Word = std::uint32_t;
  static constexpr auto put = &shmem_put32;
  static constexpr auto put_nbi = &shmem_put32_nbi;
  static constexpr auto iput = &shmem_iput32;
  static constexpr auto get = &shmem_get32;
  static constexpr auto get_nbi = &shmem_get32_nbi;
  static constexpr auto iget = &shmem_iget32;
  static constexpr auto put_signal = &shmem_put32_signal;
  static constexpr auto put_signal_nbi = &shmem_put32_signal_nbi;
  static constexpr auto p = &shmem_uint32_p;
  static constexpr auto g = &shmem_uint32_g;
};

template <>
struct Sized<8> {
  using Word = std::uint64_t;
  static constexpr auto put = &shmem_put64;
  static constexpr auto put_nbi = &shmem_put64_nbi;
  static constexpr auto iput = &shmem_iput64;
  static constexpr auto get = &shmem_get64;
  static constexpr auto get_nbi = &shmem_get64_nbi;
  static constexpr auto iget = &shmem_iget64;
  static constexpr auto put_signal = &shmem_put64_signal;
  static constexpr auto put_signal_nbi = &shmem_put64_signal_nbi;
  static constexpr auto p = &shmem_uint64_p;
  static constexpr auto g = &shmem_uint64_g;
};

// Bytes of `count` elements. On overflow, more than any memory has, which OpenSHMEM rejects.
template <typename T>
constexpr std::size_t bytes_of(std::size_t count) {
  constexpr std::size_t most = SIZE_MAX / 2;
  return count <= most / sizeof(T) ? count * sizeof(T) : most + 1;
}

template <typename T>
void p(T* dest, T value, int pe) {
  using Word = typename Sized<sizeof(T)>::Word;
  Sized<sizeof(T)>::p(reinterpret_cast<Word*>(dest), std::bit_cast<Word>(value), pe);
}

template <typename T>
T g(const T* source, int pe) {
  using Word = typename Sized<sizeof(T)>::Word;
  return std::bit_cast<T>(Sized<sizeof(T)>::g(reinterpret_cast<const Word*>(source), pe));
}

}  // namespace gondwana::nvshmem
