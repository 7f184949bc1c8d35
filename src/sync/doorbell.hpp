// How a rank sleeps and how a writer wakes it: the sleeper pays for the fence, not the writer.
//
// A writer stores its data, then reads `asleep` with a plain load and rings only if it is set. The
// processor may perform that load before the store leaves its store buffer. So the sleeper sets
// `asleep`, makes every running thread of the job pass a full fence (membarrier) and checks its
// condition once more. This check sees a store older than the fence; the writer of a younger store
// sees the flag. Model-checked in tests/unit/doorbell_model_test.cpp.
//
// The flag also names the word that the sleeper waits for, if there is only one. A writer for which
// a ring costs more than a check, such as the node agent, does not ring for other words.
#pragma once

#include "core/types.hpp"
#include "sync/atomics.hpp"

namespace gondwana {

// The memory that a sleeper waits for: the cache line of a word in its arena, or anything.
class Watch {
 public:
  constexpr Watch() = default;  // anything
  static constexpr Watch at(std::size_t offset) {
    const std::size_t flag = offset / cache_line + first_line;
    return flag <= ~std::uint32_t{0} ? Watch(static_cast<std::uint32_t>(flag)) : Watch();
  }

  // The value of a doorbell's flag: never 0, which means awake.
  constexpr std::uint32_t flag() const { return flag_; }

  // Whether bytes written there may concern a sleeper with this flag.
  static constexpr bool covers(std::uint32_t flag, std::size_t offset, std::size_t size) {
    if (flag <= anything) return flag == anything;
    const std::size_t line = flag - first_line;
    return offset / cache_line <= line && line <= (offset + size - 1) / cache_line;
  }

 private:
  static constexpr std::uint32_t anything = 1;
  static constexpr std::uint32_t first_line = 2;

  explicit constexpr Watch(std::uint32_t flag) : flag_(flag) {}

  std::uint32_t flag_ = anything;
};

template <AtomicsPolicy A>
struct Doorbell {
  using Word = typename A::Word;

  // Nonzero: ring after writing. Rarely written, so cheap to read.
  alignas(cache_line) Word asleep;
  alignas(cache_line) Word rings;  // futex word: the number of rings

  // Owner: returns once done() holds or `timeout` has passed. Calls done() at least once. An
  // untimed sleep requires that all writers of the condition ring.
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout, Watch watch = {}) {
    for (;;) {
      const Armed armed = arm(watch);
      if (done()) return true;
      sleep(armed, timeout);
      if (done()) return true;  // the common case, without another fence
      if (timeout) return false;
    }
  }

  // sleep_until() in steps, if only the caller knows the condition: arm(), check the condition, and
  // sleep if it does not hold. Returns after `timeout` at the latest.
  struct Armed {
    std::uint32_t seen;  // the number of rings
    bool fenced;
  };
  Armed arm(Watch watch = {}) {
    const std::uint32_t seen = rings.load(std::memory_order_acquire);  // pairs with ring()
    raise(watch);
    return {seen, A::heavy_fence()};
  }
  void sleep(Armed armed, Timeout timeout) {
    A::futex_wait(rings, armed.seen, armed.fenced ? timeout : unfenced_limit(timeout));
  }

  // Writer, after its store. Costs one load of a line that rarely changes.
  void ring_if_asleep() {
    if (any_sleeper()) [[unlikely]]
      ring();
  }

  bool any_sleeper() const {
    A::light_fence();  // the load comes after the caller's store
    return asleep.load(std::memory_order_relaxed) != 0;
  }

  // Like ring_if_asleep(), for a writer that names the place of its store in the arena.
  void ring_if_watched(std::size_t offset, std::size_t size) {
    A::light_fence();
    if (Watch::covers(asleep.load(std::memory_order_relaxed), offset, size)) ring();
  }

  // Clearing `asleep` first prevents a ring from each of many writers. A sleeper that sets it again
  // has seen the new number of rings, so its store is the later one.
  [[gnu::noinline, gnu::cold]] void ring() {
    asleep.store(0, std::memory_order_relaxed);
    rings.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load in sleep_until()
    A::futex_wake_all(rings);
  }

 private:
  // If sleepers wait for different things, or one follows a sleeper that was not rung, the flag
  // means anything until the next ring.
  void raise(Watch watch) {
    std::uint32_t before = 0;
    if (asleep.compare_exchange_strong(before, watch.flag(), std::memory_order_relaxed,
                                       std::memory_order_relaxed))
      return;
    if (before != watch.flag()) asleep.store(Watch().flag(), std::memory_order_relaxed);
  }

  // Without the fence a ring can be missed: check again soon.
  static Timeout unfenced_limit(Timeout timeout) {
    constexpr std::chrono::microseconds wait_again{1000};
    return timeout && *timeout < wait_again ? timeout : Timeout(wait_again);
  }
};

}  // namespace gondwana
