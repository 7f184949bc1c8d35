// The lock of a stripe under the model checker: one holder at a time, which sees the writes of the
// last.
#include <fmt/format.h>

#include "support/model/assertions.hpp"
#include "sync/stripe_lock.hpp"

namespace gondwana {
namespace {

using model::Atomics;
using model::Data;
using model::fails;
using model::holds;
using model::Outcome;
using model::Scenario;

constexpr auto relaxed = std::memory_order_relaxed;

// Atomics with one fault each.
struct RelaxedRelease : Atomics {
  struct Word : model::Word {
    void store(std::uint32_t value, std::memory_order /*order*/) {
      model::Word::store(value, relaxed);
    }
  };
};
struct RelaxedTake : Atomics {
  struct Word : model::Word {
    bool compare_exchange_strong(std::uint32_t& expected, std::uint32_t value,
                                 std::memory_order /*success*/, std::memory_order /*failure*/) {
      return model::Word::compare_exchange_strong(expected, value, relaxed, relaxed);
    }
  };
};

template <typename A>
Outcome every_sum_is_there(int members) {
  Scenario scenario;
  StripeLock<A> lock;
  Data sum;
  scenario.name(sum, "sum");
  for (int member = 0; member < members; ++member)
    scenario.thread(fmt::format("member {}", member), [&] {
      while (!lock.try_take()) model::wait_for_change();
      sum.write(sum.read() + 1);
      lock.release();
    });
  scenario.finally([&] {
    model::expect(sum.read() == static_cast<std::uint32_t>(members), "every term is in the sum");
  });
  return scenario.explore();
}

TEST(stripe_lock_model, every_sum_is_there) {
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>(2)));
  EXPECT_TRUE(holds(every_sum_is_there<Atomics>(3)));
}

TEST(stripe_lock_model, atomics_that_order_too_little_are_found) {
  EXPECT_TRUE(fails(every_sum_is_there<RelaxedRelease>(2), "data race"));
  EXPECT_TRUE(fails(every_sum_is_there<RelaxedTake>(2), "data race"));
}

}  // namespace
}  // namespace gondwana
