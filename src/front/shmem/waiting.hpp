// OpenSHMEM 1.6, point-to-point synchronization: waiting for the caller's own memory, and looking
// at it.
//
// Each look acquires: what was ordered before the value that it found can be read after it.
#pragma once

#include <atomic>
#include <cstdint>

#include "front/shmem/checks.hpp"
#include "front/shmem/comparison.hpp"
#include "front/shmem/door.hpp"

namespace gondwana::shmem {

// One whole look at memory that peers write; what they wrote before is visible after it.
template <typename T>
T look(const T* cell) {
  return std::atomic_ref<T>(*const_cast<T*>(cell)).load(std::memory_order_acquire);
}

template <typename T>
void examine_cell(const Caller& caller, const T* cell) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_symmetric(caller, {"ivar", cell, sizeof(T)});
}

template <typename T>
void wait_until(Caller caller, T* cell, int cmp, T value) {
  examine_cell(caller, cell);
  const Condition<T> condition = Comparison(caller, cmp).with(value);
  caller.engine.waiter().on_word(caller.name, cell, [&] { return condition.holds(look(cell)); });
}

// A program that looks again and again may wait for the answer to what it has put, or for a rank
// that needs this processor.
inline int looked(const Caller& caller, bool found) {
  if (found) {
    caller.engine.waiter().polls().found();
    return 1;
  }
  caller.engine.waiter().make_progress();
  caller.engine.waiter().polls().failed();
  return 0;
}

template <typename T>
int test(Caller caller, T* cell, int cmp, T value) {
  examine_cell(caller, cell);
  return looked(caller, Comparison(caller, cmp).with(value).holds(look(cell)));
}

// The same value for each element, or a value for each.
template <typename T>
auto each_with(const Caller& caller, int cmp, T value, std::size_t /*count*/) {
  return [condition = Comparison(caller, cmp).with(value)](std::size_t) { return condition; };
}
template <typename T>
auto each_with(const Caller& caller, int cmp, const T* values, std::size_t count) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_given(caller, "cmp_values", values, count);
  return [comparison = Comparison(caller, cmp), values](std::size_t i) {
    return comparison.with(values[i]);
  };
}

// The elements that a call looks at: those whose status is 0, all where there is no status.
// `condition(i)` is what element i has to meet.
template <typename T, typename ConditionOf>
class WaitSet {
 public:
  WaitSet(const T* cells, std::size_t count, const int* status, ConditionOf condition)
      : cells_(cells), count_(count), status_(status), condition_(condition) {}

  bool empty() const {
    std::size_t i = 0;
    while (i < count_ && !has(i)) ++i;
    return i == count_;
  }

  // All from `from` on meet their conditions; if not, `from` becomes the first that does not.
  bool all_meet(std::size_t& from) const {
    while (from < count_ && (!has(from) || meets(from))) ++from;
    return from == count_;
  }

  // One that meets its condition, looked for from `start` on, around the end; SIZE_MAX: none does.
  std::size_t find(std::size_t start) const {
    for (std::size_t i = start; i < count_; ++i)
      if (has(i) && meets(i)) return i;
    for (std::size_t i = 0; i < start; ++i)
      if (has(i) && meets(i)) return i;
    return SIZE_MAX;
  }

  // Writes the numbers of all that meet their conditions; returns how many.
  std::size_t collect(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count_; ++i)
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a checked call has told of a null
      if (has(i) && meets(i)) indices[found++] = i;
    return found;
  }

 private:
  bool has(std::size_t i) const { return status_ == nullptr || status_[i] == 0; }
  bool meets(std::size_t i) const { return condition_(i).holds(look(cells_ + i)); }

  const T* cells_;
  std::size_t count_;
  const int* status_;
  ConditionOf condition_;
};

template <typename T, typename ConditionOf>
WaitSet<T, ConditionOf> wait_set(const Caller& caller, const T* cells, std::size_t count,
                                 const int* status, ConditionOf condition) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_waited(caller, {"ivars", cells, sizeof(T), count}, status);
  return {cells, count, status, condition};
}

// For the calls that write the numbers of several.
template <typename T, typename ConditionOf>
WaitSet<T, ConditionOf> wait_set(const Caller& caller, const T* cells, std::size_t count,
                                 const int* status, ConditionOf condition,
                                 const std::size_t* indices) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_indices(caller, {"ivars", cells, sizeof(T), count}, status, indices);
  return wait_set(caller, cells, count, status, condition);
}

// Waits for one that meets its condition. Each call starts at another place, so that whatever calls
// come between, none that meets its condition is passed over for ever.
template <typename Set>
std::size_t wait_for_any(const Caller& caller, const Set& set, std::size_t count) {
  if (set.empty()) return SIZE_MAX;
  const std::size_t start = caller.door.next_start(count);
  std::size_t found = SIZE_MAX;
  caller.engine.waiter().on_memory(caller.name, [&] {
    found = set.find(start);
    return found != SIZE_MAX;
  });
  return found;
}

template <typename Set>
std::size_t test_for_any(const Caller& caller, const Set& set, std::size_t count) {
  const std::size_t found = count == 0 ? SIZE_MAX : set.find(caller.door.next_start(count));
  looked(caller, found != SIZE_MAX);
  return found;
}

template <typename Set>
std::size_t wait_for_some(const Caller& caller, const Set& set, std::size_t* indices) {
  if (set.empty()) return 0;
  std::size_t found = 0;
  caller.engine.waiter().on_memory(caller.name, [&] {
    found = set.collect(indices);
    return found > 0;
  });
  return found;
}

template <typename Set>
std::size_t test_for_some(const Caller& caller, const Set& set, std::size_t* indices) {
  const std::size_t found = set.collect(indices);
  looked(caller, found > 0);
  return found;
}

// The calls. Those named _vector have a value for each element, the others one for all.

template <typename T>
void wait_until_all(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                    T value) {
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count));
  std::size_t from = 0;
  caller.engine.waiter().on_memory(caller.name, [&] { return set.all_meet(from); });
}

template <typename T>
void wait_until_all_vector(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                           const T* values) {
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count));
  std::size_t from = 0;
  caller.engine.waiter().on_memory(caller.name, [&] { return set.all_meet(from); });
}

template <typename T>
std::size_t wait_until_any(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                           T value) {
  return wait_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count)),
      count);
}

template <typename T>
std::size_t wait_until_any_vector(Caller caller, T* cells, std::size_t count, const int* status,
                                  int cmp, const T* values) {
  return wait_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count)),
      count);
}

template <typename T>
std::size_t wait_until_some(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                            const int* status, int cmp, T value) {
  return wait_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count), indices),
      indices);
}

template <typename T>
std::size_t wait_until_some_vector(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                                   const int* status, int cmp, const T* values) {
  return wait_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count), indices),
      indices);
}

template <typename T>
int test_all(Caller caller, T* cells, std::size_t count, const int* status, int cmp, T value) {
  std::size_t from = 0;
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count));
  return looked(caller, set.all_meet(from));
}

template <typename T>
int test_all_vector(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                    const T* values) {
  std::size_t from = 0;
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count));
  return looked(caller, set.all_meet(from));
}

template <typename T>
std::size_t test_any(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                     T value) {
  return test_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count)),
      count);
}

template <typename T>
std::size_t test_any_vector(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                            const T* values) {
  return test_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count)),
      count);
}

template <typename T>
std::size_t test_some(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                      const int* status, int cmp, T value) {
  return test_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count), indices),
      indices);
}

template <typename T>
std::size_t test_some_vector(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                             const int* status, int cmp, const T* values) {
  return test_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count), indices),
      indices);
}

}  // namespace gondwana::shmem
