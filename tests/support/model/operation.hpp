// One request of a model thread to the checker.
#pragma once

#include <atomic>
#include <cstdint>

namespace gondwana::model {

enum class Kind : std::uint8_t {
  load,
  store,
  fetch_add,
  exchange,
  compare_exchange,
  release_fence,
  acquire_fence,
  light_fence,
  heavy_fence,
  futex_wait,
  futex_wake,
  wait_for_change,
  read_data,
  write_data,
  fail,
  finished,
};

struct Operation {
  Kind kind = Kind::finished;
  std::uint8_t place = 0;   // of a word or of plain data
  std::uint32_t value = 0;  // to store, to add, or to compare with
  std::memory_order order = std::memory_order_relaxed;
  bool timed = false;          // a futex_wait that may end without a wake
  const char* what = nullptr;  // why it failed
  // For a compare_exchange: the expected value, and the order on failure.
  std::uint32_t expected = 0;
  std::memory_order failure = std::memory_order_relaxed;
};

// The operation concerns no other thread, so it needs no interleaving. Races are detected by what a
// thread has seen, in either order of the two accesses.
inline bool is_local(Kind kind) {
  return kind == Kind::read_data || kind == Kind::write_data || kind == Kind::fail;
}

}  // namespace gondwana::model
