// Waits for elements that peers write, and tests of them, with NVSHMEM's comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "nvshmem_types.h"
#include "shmem.h"

namespace gondwana::nvshmem {

// OpenSHMEM's constant for NVSHMEM's. Ends the job if `cmp` is not a valid comparison.
int comparison(int cmp);
int sig_op(int op);

void signal_update(std::uint64_t* word, std::uint64_t value, int op, int pe);

inline std::uint64_t signal_wait_until(std::uint64_t* word, int cmp, std::uint64_t value) {
  return shmem_signal_wait_until(word, comparison(cmp), value);
}

template <typename T>
void wait_until(T* element, int cmp, T value) {
  shmem_wait_until(element, comparison(cmp), value);
}

template <typename T>
int test(T* element, int cmp, T value) {
  return shmem_test(element, comparison(cmp), value);
}

// OpenSHMEM waits for several elements of 32 bits or more. Smaller ones are tested one by one. `V`
// is T, one value for all, or const T*, one for each.
template <typename T>
inline constexpr bool is_small = sizeof(T) == 2;

template <typename V>
auto value_at(V wanted, std::size_t i) {
  if constexpr (std::is_pointer_v<V>)
    return wanted[i];
  else
    return wanted;
}

inline bool counts(const int* status, std::size_t i) {
  return status == nullptr || status[i] == 0;
}

template <typename T, typename V>
std::size_t test_some(T* elements, std::size_t count, std::size_t* indices, const int* status,
                      int cmp, V wanted) {
  if constexpr (is_small<T>) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (counts(status, i) && test(elements + i, cmp, value_at(wanted, i)) != 0)
        indices[found++] = i;
    return found;
  } else if constexpr (std::is_pointer_v<V>) {
    return shmem_test_some_vector(elements, count, indices, status, comparison(cmp), wanted);
  } else {
    return shmem_test_some(elements, count, indices, status, comparison(cmp), wanted);
  }
}

template <typename T, typename V>
std::size_t test_any(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if constexpr (is_small<T>) {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(status, i) && test(elements + i, cmp, value_at(wanted, i)) != 0) return i;
    return SIZE_MAX;
  } else if constexpr (std::is_pointer_v<V>) {
    return shmem_test_any_vector(elements, count, status, comparison(cmp), wanted);
  } else {
    return shmem_test_any(elements, count, status, comparison(cmp), wanted);
  }
}

template <typename T, typename V>
int test_all(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if constexpr (is_small<T>) {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(status, i) && test(elements + i, cmp, value_at(wanted, i)) == 0) return 0;
    return 1;
  } else if constexpr (std::is_pointer_v<V>) {
    return shmem_test_all_vector(elements, count, status, comparison(cmp), wanted);
  } else {
    return shmem_test_all(elements, count, status, comparison(cmp), wanted);
  }
}

template <typename T, typename V>
void wait_until_all(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if constexpr (is_small<T>) {
    for (std::size_t i = 0; i < count; ++i)
      if (counts(status, i)) wait_until(elements + i, cmp, value_at(wanted, i));
  } else if constexpr (std::is_pointer_v<V>) {
    shmem_wait_until_all_vector(elements, count, status, comparison(cmp), wanted);
  } else {
    shmem_wait_until_all(elements, count, status, comparison(cmp), wanted);
  }
}

inline bool any_counts(const int* status, std::size_t count) {
  std::size_t i = 0;
  while (i < count && !counts(status, i)) ++i;
  return i < count;
}

template <typename T, typename V>
std::size_t wait_until_any(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if constexpr (is_small<T>) {
    std::size_t found = SIZE_MAX;
    while (found == SIZE_MAX && any_counts(status, count))
      found = test_any(elements, count, status, cmp, wanted);
    return found;
  } else if constexpr (std::is_pointer_v<V>) {
    return shmem_wait_until_any_vector(elements, count, status, comparison(cmp), wanted);
  } else {
    return shmem_wait_until_any(elements, count, status, comparison(cmp), wanted);
  }
}

template <typename T, typename V>
std::size_t wait_until_some(T* elements, std::size_t count, std::size_t* indices, const int* status,
                            int cmp, V wanted) {
  if constexpr (is_small<T>) {
    std::size_t found = 0;
    while (found == 0 && any_counts(status, count))
      found = test_some(elements, count, indices, status, cmp, wanted);
    return found;
  } else if constexpr (std::is_pointer_v<V>) {
    return shmem_wait_until_some_vector(elements, count, indices, status, comparison(cmp), wanted);
  } else {
    return shmem_wait_until_some(elements, count, indices, status, comparison(cmp), wanted);
  }
}

}  // namespace gondwana::nvshmem
