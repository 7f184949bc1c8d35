// OpenSHMEM 1.6, section 9.5: remote memory access.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

template <std::size_t Width>
[[gnu::always_inline]] inline void put(Caller caller, void* dest, const void* source,
                                       std::size_t count, int pe) {
  check(caller, caller.engine.put(caller.lane, rank_of(pe), dest, source, bytes_of<Width>(count)));
}

template <std::size_t Width>
[[gnu::always_inline]] inline void get(Caller caller, void* dest, const void* source,
                                       std::size_t count, int pe) {
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
