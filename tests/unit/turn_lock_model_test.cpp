// The lock of turns under the model checker: one thread is inside at a time and sees the writes of
// the previous one, also while the second thread arrives; and variants with one fault each.
#include "sync/turn_lock.hpp"

#include <fmt/format.h>

#include "support/model/assertions.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Limits;
using model::Outcome;
using model::Scenario;

// Atomics with one fault each. A light fence is the first thread's, a heavy one the second's.
struct NoLightFence : Atomics {
  static void light_fence() {}
};
struct NoHeavyFence : Atomics {
  static bool heavy_fence() { return true; }
};
struct RelaxedStores : Atomics {
  struct Word : model::Word {
    void store(std::uint32_t value, std::memory_order /*order*/) {
      model::Word::store(value, std::memory_order_relaxed);
    }
  };
};
struct SilentFutex : Atomics {
  static void futex_wake_all(model::Word& /*word*/) {}
};

// The number of times that each thread enters.
template <typename A>
Outcome every_sum_is_there(std::initializer_list<int> entries, const Limits& limits = {}) {
  Scenario scenario;
  TurnLock<A> lock;
  Data sum;
  scenario.name(sum, "sum");
  std::uint32_t all = 0;
  for (const int times : entries) {
    all += static_cast<std::uint32_t>(times);
    scenario.thread(fmt::format("thread of {}", times), [&lock, &sum, times] {
      bool is_first = false;
      for (int i = 0; i < times; ++i) {
        lock.enter(is_first);
        sum.write(sum.read() + 1);
        lock.leave(is_first);
      }
    });
  }
  scenario.finally([&] { model::expect(sum.read() == all, "every term is in the sum"); });
  return scenario.explore(limits);
}

TEST(turn_lock_model, every_sum_is_there) {
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>({2, 1})));
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>({1, 1, 1}, {.preemptions = 3})));
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>({3, 2}, {.preemptions = 3})));
}

TEST(turn_lock_model, where_the_system_refuses_fences_every_sum_is_there_too) {
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>({2, 1}, {.heavy_fence_refused = true})));
}

TEST(turn_lock_model, atomics_that_order_too_little_are_found) {
  EXPECT_TRUE(fails(every_sum_is_there<NoLightFence>({2, 1}), "data race"));
  EXPECT_TRUE(fails(every_sum_is_there<NoHeavyFence>({2, 1}), "data race"));
  EXPECT_TRUE(fails(every_sum_is_there<RelaxedStores>({2, 1}), "data race"));
  EXPECT_TRUE(fails(every_sum_is_there<SilentFutex>({2, 2}), "deadlock"));
}

}  // namespace
}  // namespace gondwana
