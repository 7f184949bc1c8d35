// OpenSHMEM 1.6, section 9.7: atomic memory operations.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// Returns the value from before; the calls that do not fetch drop it.
template <AtomicOp Op, typename T>
[[gnu::always_inline]] inline T atomic(Caller caller, T* dest, T value, int pe) {
  return checked(caller, caller.engine.atomic<Op>(caller.lane, rank_of(pe), dest, value, T{}));
}

template <typename T>
[[gnu::always_inline]] inline T atomic_fetch(Caller caller, const T* source, int pe) {
  return atomic<AtomicOp::fetch>(caller, const_cast<T*>(source), T{}, pe);
}

template <typename T>
[[gnu::always_inline]] inline void atomic_set(Caller caller, T* dest, T value, int pe) {
  atomic<AtomicOp::swap>(caller, dest, value, pe);
}

template <typename T>
[[gnu::always_inline]] inline T atomic_compare_swap(Caller caller, T* dest, T expected, T value,
                                                    int pe) {
  return checked(caller, caller.engine.atomic<AtomicOp::compare_swap>(caller.lane, rank_of(pe),
                                                                      dest, value, expected));
}

}  // namespace gondwana::shmem
