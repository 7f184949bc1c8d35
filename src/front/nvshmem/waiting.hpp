// Waits for elements that peers write, and tests of them, with NVSHMEM's comparisons. Elements on a
// device, and those that OpenSHMEM does not wait for several of, are looked at by copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "nvshmem_types.h"
#include "shmemx.h"

namespace gondwana::nvshmem {

// OpenSHMEM's value for NVSHMEM's. Ends the job if there is none.
int comparison(int cmp);
int sig_op(int op);
// Lets the library advance, and other processes if this one has polled for long.
void poll();

void signal_update(std::uint64_t* word, std::uint64_t value, int op, int pe);
std::uint64_t signal_fetch(const std::uint64_t* word);
std::uint64_t signal_wait_until(std::uint64_t* word, int cmp, std::uint64_t value);

inline bool is_on_device(const void* address) {
  return shmemx_device_of(address) >= 0;
}

// shmem_wait_until_all and its like take no element of 16 bits.
template <typename T>
bool is_copied(const T* elements) {
  return sizeof(T) == 2 || is_on_device(elements);
}

template <typename T>
bool holds(T value, int cmp, T wanted) {
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return value == wanted;
    case SHMEM_CMP_NE:
      return value != wanted;
    case SHMEM_CMP_GT:
      return value > wanted;
    case SHMEM_CMP_LE:
      return value <= wanted;
    case SHMEM_CMP_LT:
      return value < wanted;
    default:
      return value >= wanted;
  }
}

// Copies of elements, compared with one value (`V` is T) or with one for each (`V` is const T*).
template <typename T, typename V>
class Copies {
 public:
  Copies(const T* elements, std::size_t count, const int* status, int cmp, V wanted)
      : elements_(elements),
        copies_(count),
        status_(status),
        cmp_(comparison(cmp)),
        wanted_(wanted) {}

  // Copies them once. Whether all that count compare as wanted.
  bool look() {
    shmemx_device_memcpy(copies_.data(), elements_, copies_.size() * sizeof(T));
    found_.clear();
    asked_ = 0;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      if (status_ != nullptr && status_[i] != 0) continue;
      ++asked_;
      if (holds(copies_[i], cmp_, wanted(i))) found_.push_back(i);
    }
    return found_.size() == asked_;
  }
  bool test() {
    const bool do_all = look();
    if (found_.empty()) poll();
    return do_all;
  }
  void await_all() {
    while (!look()) poll();
  }
  // One, unless none counts.
  void await_some() {
    while (look(), found_.empty() && asked_ > 0) poll();
  }
  std::size_t first() const { return found_.empty() ? SIZE_MAX : found_.front(); }
  std::size_t write(std::size_t* indices) const {
    for (std::size_t i = 0; i < found_.size(); ++i) indices[i] = found_[i];
    return found_.size();
  }

 private:
  T wanted(std::size_t i) const {
    if constexpr (std::is_pointer_v<V>)
      return wanted_[i];
    else
      return wanted_;
  }

  const T* elements_;
  std::vector<T> copies_;
  const int* status_;
  int cmp_;
  V wanted_;
  std::size_t asked_ = 0;
  std::vector<std::size_t> found_;
};

template <typename T>
void wait_until(T* element, int cmp, T value) {
  if (!is_on_device(element)) return shmem_wait_until(element, comparison(cmp), value);
  Copies<T, T>(element, 1, nullptr, cmp, value).await_all();
}

template <typename T>
int test(T* element, int cmp, T value) {
  if (!is_on_device(element)) return shmem_test(element, comparison(cmp), value);
  return Copies<T, T>(element, 1, nullptr, cmp, value).test() ? 1 : 0;
}

template <typename T, typename V>
void wait_until_all(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if (is_copied(elements)) return Copies<T, V>(elements, count, status, cmp, wanted).await_all();
  if constexpr (sizeof(T) == 2)
    return;
  else if constexpr (std::is_pointer_v<V>)
    shmem_wait_until_all_vector(elements, count, status, comparison(cmp), wanted);
  else
    shmem_wait_until_all(elements, count, status, comparison(cmp), wanted);
}

template <typename T, typename V>
std::size_t wait_until_any(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if (is_copied(elements)) {
    Copies<T, V> set(elements, count, status, cmp, wanted);
    set.await_some();
    return set.first();
  }
  if constexpr (sizeof(T) == 2)
    return 0;
  else if constexpr (std::is_pointer_v<V>)
    return shmem_wait_until_any_vector(elements, count, status, comparison(cmp), wanted);
  else
    return shmem_wait_until_any(elements, count, status, comparison(cmp), wanted);
}

template <typename T, typename V>
std::size_t wait_until_some(T* elements, std::size_t count, std::size_t* indices, const int* status,
                            int cmp, V wanted) {
  if (is_copied(elements)) {
    Copies<T, V> set(elements, count, status, cmp, wanted);
    set.await_some();
    return set.write(indices);
  }
  if constexpr (sizeof(T) == 2)
    return 0;
  else if constexpr (std::is_pointer_v<V>)
    return shmem_wait_until_some_vector(elements, count, indices, status, comparison(cmp), wanted);
  else
    return shmem_wait_until_some(elements, count, indices, status, comparison(cmp), wanted);
}

template <typename T, typename V>
int test_all(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if (is_copied(elements)) return Copies<T, V>(elements, count, status, cmp, wanted).test() ? 1 : 0;
  if constexpr (sizeof(T) == 2)
    return 0;
  else if constexpr (std::is_pointer_v<V>)
    return shmem_test_all_vector(elements, count, status, comparison(cmp), wanted);
  else
    return shmem_test_all(elements, count, status, comparison(cmp), wanted);
}

template <typename T, typename V>
std::size_t test_any(T* elements, std::size_t count, const int* status, int cmp, V wanted) {
  if (is_copied(elements)) {
    Copies<T, V> set(elements, count, status, cmp, wanted);
    set.test();
    return set.first();
  }
  if constexpr (sizeof(T) == 2)
    return 0;
  else if constexpr (std::is_pointer_v<V>)
    return shmem_test_any_vector(elements, count, status, comparison(cmp), wanted);
  else
    return shmem_test_any(elements, count, status, comparison(cmp), wanted);
}

template <typename T, typename V>
std::size_t test_some(T* elements, std::size_t count, std::size_t* indices, const int* status,
                      int cmp, V wanted) {
  if (is_copied(elements)) {
    Copies<T, V> set(elements, count, status, cmp, wanted);
    set.test();
    return set.write(indices);
  }
  if constexpr (sizeof(T) == 2)
    return 0;
  else if constexpr (std::is_pointer_v<V>)
    return shmem_test_some_vector(elements, count, indices, status, comparison(cmp), wanted);
  else
    return shmem_test_some(elements, count, indices, status, comparison(cmp), wanted);
}

}  // namespace gondwana::nvshmem
