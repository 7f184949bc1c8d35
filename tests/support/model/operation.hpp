// What a thread under the checker asks for, one step at a time.
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
  // Of a compare_exchange: what it replaces, and its order where it finds something else.
  std::uint32_t expected = 0;
  std::memory_order failure = std::memory_order_relaxed;
};

// Concerns no other thread: need not be interleaved. Races are found by what a thread has seen, in
// whichever order the two accesses are executed.
inline bool is_local(Kind kind) {
  return kind == Kind::read_data || kind == Kind::write_data || kind == Kind::fail;
}

}  // namespace gondwana::model
