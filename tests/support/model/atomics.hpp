// What the body of a model thread may use: words, plain data, waiting and expectations. Everything
// else that it reads must be constant.
#pragma once

#include <utility>

#include "support/model/program.hpp"
#include "sync/atomics.hpp"

namespace gondwana::model {

// A 32-bit atomic cell, initially 0. The checker holds its value; the object is only its name.
class Word {
 public:
  Word() = default;
  Word(const Word&) = delete;
  Word& operator=(const Word&) = delete;

  std::uint32_t load(std::memory_order order) const {
    return perform(this, {.kind = Kind::load, .order = order});
  }
  void store(std::uint32_t value, std::memory_order order) {
    perform(this, {.kind = Kind::store, .value = value, .order = order});
  }
  std::uint32_t fetch_add(std::uint32_t value, std::memory_order order) {
    return perform(this, {.kind = Kind::fetch_add, .value = value, .order = order});
  }
  std::uint32_t exchange(std::uint32_t value, std::memory_order order) {
    return perform(this, {.kind = Kind::exchange, .value = value, .order = order});
  }
  bool compare_exchange_strong(std::uint32_t& expected, std::uint32_t value,
                               std::memory_order success, std::memory_order failure) {
    const std::uint32_t found = perform(this, {.kind = Kind::compare_exchange,
                                               .value = value,
                                               .order = success,
                                               .expected = expected,
                                               .failure = failure});
    return std::exchange(expected, found) == found;
  }

 private:
  [[maybe_unused]] char address_ = 0;
};

// 64 bits in name only: no scenario counts beyond 32 bits.
class Counter : public Word {
 public:
  std::uint64_t load(std::memory_order order) const { return Word::load(order); }
  void store(std::uint64_t value, std::memory_order order) {
    Word::store(static_cast<std::uint32_t>(value), order);
  }
  bool compare_exchange_strong(std::uint64_t& expected, std::uint64_t value,
                               std::memory_order success, std::memory_order failure) {
    auto expected_word = static_cast<std::uint32_t>(expected);
    const bool exchanged = Word::compare_exchange_strong(
        expected_word, static_cast<std::uint32_t>(value), success, failure);
    expected = expected_word;
    return exchanged;
  }
};

// The policy under which Doorbell and TeamSync run in the checker.
struct Atomics {
  using Word = model::Word;
  using Counter = model::Counter;

  // Like std::atomic_thread_fence; a scenario that uses them needs Limits::thread_fences.
  static void release_fence() { perform(nullptr, {.kind = Kind::release_fence}); }
  static void acquire_fence() { perform(nullptr, {.kind = Kind::acquire_fence}); }
  static void light_fence() { perform(nullptr, {.kind = Kind::light_fence}); }
  static bool heavy_fence() { return perform(nullptr, {.kind = Kind::heavy_fence}) != 0; }
  static void futex_wait(Word& word, std::uint32_t value, Timeout timeout) {
    perform(&word, {.kind = Kind::futex_wait, .value = value, .timed = timeout.has_value()});
  }
  static void futex_wake_all(Word& word) { perform(&word, {.kind = Kind::futex_wake}); }
};

static_assert(AtomicsPolicy<Atomics>);

// A plain variable: two unordered accesses, one of them a write, are a failure.
class Data {
 public:
  Data() = default;
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  std::uint32_t read() const { return perform(this, {.kind = Kind::read_data}); }
  void write(std::uint32_t value) { perform(this, {.kind = Kind::write_data, .value = value}); }

 private:
  [[maybe_unused]] char address_ = 0;
};

// For a polling loop, after a poll that found nothing. Continues once a word that was read since
// the last wait has a younger value, which the next read then sees.
inline void wait_for_change() {
  perform(nullptr, {.kind = Kind::wait_for_change});
}

inline void expect(bool holds, const char* what) {
  if (!holds) perform(nullptr, {.kind = Kind::fail, .what = what});
}

}  // namespace gondwana::model
