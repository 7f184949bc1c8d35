// OpenSHMEM 1.6, point-to-point synchronization: waits for memory of the caller, and tests of it.
//
// Each load is an acquire: writes that were ordered before the value are visible after the load.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "front/shmem/cells.hpp"
#include "front/shmem/checks.hpp"
#include "front/shmem/comparison.hpp"
#include "front/shmem/door.hpp"
#include "process/leave.hpp"

namespace gondwana::shmem {

template <typename T>
void examine_cell(const Caller& caller, const T* cell) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_symmetric(caller, {"ivar", cell, sizeof(T)});
}

// A wait for words that any PE may write. It returns early if a PE dies.
template <typename Wait>
void wait_for_words(const Wait& wait) {
  try {
    wait();
  } catch (const HopelessWait& hopeless) {
    note_loss(hopeless);
  }
}

template <typename T>
void wait_until(Caller caller, T* cell, int cmp, T value) {
  examine_cell(caller, cell);
  const Condition<T> condition = Comparison(caller, cmp).with(value);
  const Cells<T> cells(caller, cell);
  wait_for_words([&] {
    caller.engine.waiter().on_word(
        caller.name, cells.watched(), [&] { return condition.holds(cells.load()); },
        [&] { return awaited(cmp, value); });
  });
}

// Waits for at most `timeout_us` microseconds. Returns 0 if the condition holds.
template <typename T>
int wait_until_timeout(Caller caller, T* cell, int cmp, T value, std::uint64_t timeout_us) {
  examine_cell(caller, cell);
  const Condition<T> condition = Comparison(caller, cmp).with(value);
  const Cells<T> cells(caller, cell);
  constexpr std::uint64_t longest_us = std::uint64_t{1} << 53;  // centuries
  const std::chrono::microseconds limit(
      static_cast<std::int64_t>(std::min(timeout_us, longest_us)));
  const WaitReason why{.call = caller.name, .on_program_memory = true, .word = cells.watched()};
  try {
    const bool holds =
        caller.engine.waiter().within(limit, why, [&] { return condition.holds(cells.load()); });
    return holds ? 0 : SHMEMX_ERR_TIMEOUT;
  } catch (const HopelessWait& hopeless) {
    return lost<int>(hopeless);
  }
}

// A program that tests repeatedly may be waiting for an answer to its puts, or for a rank that
// needs this processor.
inline int polled_once(const Caller& caller, bool found) {
  if (found) {
    caller.engine.waiter().polls().found();
    return 1;
  }
  check_for_end();
  caller.engine.waiter().make_progress();
  caller.engine.waiter().polls().failed();
  return 0;
}

template <typename T>
int test(Caller caller, T* cell, int cmp, T value) {
  examine_cell(caller, cell);
  return polled_once(caller,
                     Comparison(caller, cmp).with(value).holds(Cells<T>(caller, cell).load()));
}

// The conditions of the elements: one value for all, or one value for each.
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

// The elements of a call whose status is 0, or all elements without a status array. `condition(i)`
// is the condition of element i.
template <typename T, typename ConditionOf>
class WaitSet {
 public:
  WaitSet(const Cells<T>& cells, std::size_t count, const int* status, ConditionOf condition)
      : cells_(cells), count_(count), status_(status), condition_(condition) {}

  bool empty() const {
    std::size_t i = 0;
    while (i < count_ && !has(i)) ++i;
    return i == count_;
  }

  const T* cells() const { return cells_.watched(); }

  // Whether all elements, starting at `from`, meet their conditions. Moves `from` to the first that
  // does not.
  bool all_satisfied(std::size_t& from) const {
    while (from < count_ && (!has(from) || is_satisfied(from))) ++from;
    return from == count_;
  }

  // Searches from `start`, around the end, for an element that meets its condition.
  // SIZE_MAX: none.
  std::size_t find(std::size_t start) const {
    for (std::size_t i = start; i < count_; ++i)
      if (has(i) && is_satisfied(i)) return i;
    for (std::size_t i = 0; i < start; ++i)
      if (has(i) && is_satisfied(i)) return i;
    return SIZE_MAX;
  }

  // Writes the indices of all elements that meet their conditions. Returns their number.
  std::size_t collect(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count_; ++i)
      // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a checked call has told of a null
      if (has(i) && is_satisfied(i)) indices[found++] = i;
    return found;
  }

 private:
  bool has(std::size_t i) const { return status_ == nullptr || status_[i] == 0; }
  bool is_satisfied(std::size_t i) const { return condition_(i).holds(cells_.load(i)); }

  Cells<T> cells_;
  std::size_t count_;
  const int* status_;
  ConditionOf condition_;
};

template <typename T, typename ConditionOf>
WaitSet<T, ConditionOf> wait_set(const Caller& caller, const T* cells, std::size_t count,
                                 const int* status, ConditionOf condition) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_waited(caller, {"ivars", cells, sizeof(T), count}, status);
  return {Cells<T>(caller, cells), count, status, condition};
}

// The conditions of a call that writes the indices of several elements.
template <typename T, typename ConditionOf>
WaitSet<T, ConditionOf> wait_set(const Caller& caller, const T* cells, std::size_t count,
                                 const int* status, ConditionOf condition,
                                 const std::size_t* indices) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_indices(caller, {"ivars", cells, sizeof(T), count}, status, indices);
  return wait_set(caller, cells, count, status, condition);
}

// Waits for one element that meets its condition. Each call starts at another index, so that
// no such element is skipped forever, whatever calls are made in between.
template <typename Set, typename Tell>
std::size_t wait_for_any(const Caller& caller, const Set& set, std::size_t count,
                         const Tell& tell) {
  if (set.empty()) return SIZE_MAX;
  const std::size_t start = caller.door.next_start(count);
  std::size_t found = SIZE_MAX;
  const auto is_found = [&] {
    found = set.find(start);
    return found != SIZE_MAX;
  };
  wait_for_words([&] {
    caller.engine.waiter().on_memory(caller.name, is_found, Waiting::any_rank, set.cells(), tell);
  });
  return found;
}

template <typename Set>
std::size_t test_for_any(const Caller& caller, const Set& set, std::size_t count) {
  const std::size_t found = count == 0 ? SIZE_MAX : set.find(caller.door.next_start(count));
  polled_once(caller, found != SIZE_MAX);
  return found;
}

template <typename Set, typename Tell>
std::size_t wait_for_some(const Caller& caller, const Set& set, std::size_t* indices,
                          const Tell& tell) {
  if (set.empty()) return 0;
  std::size_t found = 0;
  const auto is_found = [&] {
    found = set.collect(indices);
    return found > 0;
  };
  wait_for_words([&] {
    caller.engine.waiter().on_memory(caller.name, is_found, Waiting::any_rank, set.cells(), tell);
  });
  return found;
}

template <typename Set>
std::size_t test_for_some(const Caller& caller, const Set& set, std::size_t* indices) {
  const std::size_t found = set.collect(indices);
  polled_once(caller, found > 0);
  return found;
}

// The calls named _vector take a value for each element, the others one value for all.

template <typename T>
void wait_until_all(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                    T value) {
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count));
  std::size_t from = 0;
  wait_for_words([&] {
    caller.engine.waiter().on_memory(
        caller.name, [&] { return set.all_satisfied(from); }, Waiting::any_rank, set.cells(),
        [&] { return awaited(cmp, value, count); });
  });
}

template <typename T>
void wait_until_all_vector(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                           const T* values) {
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count));
  std::size_t from = 0;
  wait_for_words([&] {
    caller.engine.waiter().on_memory(
        caller.name, [&] { return set.all_satisfied(from); }, Waiting::any_rank, set.cells(),
        [&] { return awaited(cmp, values, count); });
  });
}

template <typename T>
std::size_t wait_until_any(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                           T value) {
  return wait_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count)),
      count, [&] { return awaited(cmp, value, count); });
}

template <typename T>
std::size_t wait_until_any_vector(Caller caller, T* cells, std::size_t count, const int* status,
                                  int cmp, const T* values) {
  return wait_for_any(
      caller, wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count)),
      count, [&] { return awaited(cmp, values, count); });
}

template <typename T>
std::size_t wait_until_some(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                            const int* status, int cmp, T value) {
  return wait_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count), indices),
      indices, [&] { return awaited(cmp, value, count); });
}

template <typename T>
std::size_t wait_until_some_vector(Caller caller, T* cells, std::size_t count, std::size_t* indices,
                                   const int* status, int cmp, const T* values) {
  return wait_for_some(
      caller,
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count), indices),
      indices, [&] { return awaited(cmp, values, count); });
}

template <typename T>
int test_all(Caller caller, T* cells, std::size_t count, const int* status, int cmp, T value) {
  std::size_t from = 0;
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, value, count));
  return polled_once(caller, set.all_satisfied(from));
}

template <typename T>
int test_all_vector(Caller caller, T* cells, std::size_t count, const int* status, int cmp,
                    const T* values) {
  std::size_t from = 0;
  const WaitSet set =
      wait_set(caller, cells, count, status, each_with<T>(caller, cmp, values, count));
  return polled_once(caller, set.all_satisfied(from));
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
