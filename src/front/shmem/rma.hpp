// OpenSHMEM 1.6, section 9.5: remote memory access.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// The unsigned type of a width that is copied by one load and one store.
template <std::size_t Width>
using Word = std::conditional_t<Width == 8, std::uint64_t,
                                std::conditional_t<Width == 4, std::uint32_t, std::uint16_t>>;

// Elements of these widths are aligned to them, so one of them alone is a value.
template <std::size_t Width>
inline constexpr bool is_word = Width == 2 || Width == 4 || Width == 8;

template <std::size_t Width>
[[gnu::always_inline]] inline void put(Caller caller, void* dest, const void* source,
                                       std::size_t count, int pe) {
  if constexpr (is_word<Width>) {
    if (count == 1) {
      Word<Width> value;
      std::memcpy(&value, source, Width);
      check(caller, caller.engine.put_value(caller.lane, rank_of(pe),
                                            static_cast<Word<Width>*>(dest), value));
      return;
    }
  }
  check(caller, caller.engine.put(caller.lane, rank_of(pe), dest, source, bytes_of<Width>(count)));
}

template <std::size_t Width>
[[gnu::always_inline]] inline void get(Caller caller, void* dest, const void* source,
                                       std::size_t count, int pe) {
  if constexpr (is_word<Width>) {
    if (count == 1) {
      const auto value =
          checked(caller, caller.engine.get_value(caller.lane, rank_of(pe),
                                                  static_cast<const Word<Width>*>(source)));
      std::memcpy(dest, &value, Width);
      return;
    }
  }
  check(caller, caller.engine.get(caller.lane, rank_of(pe), dest, source, bytes_of<Width>(count)));
}

template <typename T>
[[gnu::always_inline]] inline void p(Caller caller, T* dest, T value, int pe) {
  check(caller, caller.engine.put_value(caller.lane, rank_of(pe), dest, value));
}

template <typename T>
[[gnu::always_inline]] inline T g(Caller caller, const T* source, int pe) {
  return checked(caller, caller.engine.get_value(caller.lane, rank_of(pe), source));
}

template <std::size_t Width>
[[gnu::always_inline]] inline void iput(Caller caller, void* dest, const void* source,
                                        std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t count,
                                        int pe) {
  check(caller, caller.engine.put_strided<Width>(caller.lane, rank_of(pe), dest, source,
                                                 {.target = dst, .source = sst}, count));
}

template <std::size_t Width>
[[gnu::always_inline]] inline void iget(Caller caller, void* dest, const void* source,
                                        std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t count,
                                        int pe) {
  check(caller, caller.engine.get_strided<Width>(caller.lane, rank_of(pe), dest, source,
                                                 {.target = dst, .source = sst}, count));
}

}  // namespace gondwana::shmem
