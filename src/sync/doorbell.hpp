// How a rank sleeps and how a writer wakes it: the sleeper pays for the fence, not the writer.
//
// A writer stores its data, then looks at `asleep` with a plain load and rings only if it is up.
// The processor may do that load before the store has left its store buffer. So the sleeper, after
// raising `asleep`, makes every running thread of the job pass a full fence (membarrier) and looks
// at its condition once more: a store older than the fence is seen by that look, a younger one sees
// the flag. Model-checked in tests/unit/doorbell_model_test.cpp.
//
// The flag also says what the sleeper waits for, where it waits for one word. A writer for which
// ringing costs more than looking, such as the node agent, leaves it asleep for anything else.
#pragma once

#include "core/types.hpp"
#include "sync/atomics.hpp"

namespace gondwana {

// What a sleeper waits for: a word of its arena, by the cache line it lies in, or anything.
class Watch {
 public:
  constexpr Watch() = default;  // anything
  static constexpr Watch at(std::size_t offset) {
    const std::size_t flag = offset / cache_line + first_line;
    return flag <= ~std::uint32_t{0} ? Watch(static_cast<std::uint32_t>(flag)) : Watch();
  }

  // As the flag of a doorbell says it: never 0, which is awake.
  constexpr std::uint32_t flag() const { return flag_; }

  // Whether bytes written there may be what a sleeper with this flag waits for.
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

  // Not 0: ring after writing. Rarely written, so cheap to look at.
  alignas(cache_line) Word asleep;
  alignas(cache_line) Word rings;  // futex word: how often it was rung

  // Owner: returns once done() holds or `timeout` has passed. done() is asked at least once.
  // An untimed sleep is only for conditions whose writers all ring.
  template <typename Done>
  bool sleep_until(Done done, Timeout timeout, Watch watch = {}) {
    for (;;) {
      const Armed armed = arm(watch);
      if (done()) return true;
      sleep(armed, timeout);
      if (done()) return true;  // most often, and without another fence
      if (timeout) return false;
    }
  }

  // The same in steps, for an owner whose condition only its caller knows: arm(), look at the
  // condition, and sleep if it does not hold. Returns after `timeout` at the latest.
  struct Armed {
    std::uint32_t seen;  // rings
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
    if (somebody_sleeps()) [[unlikely]]
      ring();
  }

  bool somebody_sleeps() const {
    A::light_fence();  // the look comes after the store it is for
    return asleep.load(std::memory_order_relaxed) != 0;
  }

  // The same for a writer that says where in the arena it has written.
  void ring_if_watched(std::size_t offset, std::size_t size) {
    A::light_fence();
    if (Watch::covers(asleep.load(std::memory_order_relaxed), offset, size)) ring();
  }

  // Lowering `asleep` first keeps a flood of writers from ringing once each. A sleeper that raises
  // it again has seen the new count of rings, so its raise is the later store.
  [[gnu::noinline, gnu::cold]] void ring() {
    asleep.store(0, std::memory_order_relaxed);
    rings.fetch_add(1, std::memory_order_seq_cst);  // pairs with the load in sleep_until()
    A::futex_wake_all(rings);
  }

 private:
  // Sleepers that wait for different things wait for anything, and so does one that comes after a
  // sleeper that was not rung: until the next ring.
  void raise(Watch watch) {
    std::uint32_t before = 0;
    if (asleep.compare_exchange_strong(before, watch.flag(), std::memory_order_relaxed,
                                       std::memory_order_relaxed))
      return;
    if (before != watch.flag()) asleep.store(Watch().flag(), std::memory_order_relaxed);
  }

  // Without the fence a ring can be missed: look again soon.
  static Timeout unfenced_limit(Timeout timeout) {
    constexpr std::chrono::microseconds look_again{1000};
    return timeout && *timeout < look_again ? timeout : Timeout(look_again);
  }
};

}  // namespace gondwana
