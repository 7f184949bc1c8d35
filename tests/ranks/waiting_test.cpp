#include <chrono>
#include <thread>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Long enough that whoever waits has fallen asleep.
void linger() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

RANK_TEST(every_comparison_waits_for_its_value, ranks(2)) {
  const auto cell = world.allocate<long>();
  const struct {
    int cmp;
    long start;
    long value;
  } cases[] = {{SHMEM_CMP_EQ, 0, 7}, {SHMEM_CMP_NE, 7, 0}, {SHMEM_CMP_GT, 7, 8},
               {SHMEM_CMP_GE, 6, 7}, {SHMEM_CMP_LT, 7, 6}, {SHMEM_CMP_LE, 8, 7}};
  for (const auto& each : cases) {
    cell[0] = each.start;
    world.barrier();
    if (world.me() == 0) p(world.as("p"), cell.data(), each.value, 1);
    if (world.me() == 1) {
      wait_until(world.as("wait_until"), cell.data(), each.cmp, 7L);
      EXPECT_EQ(look(cell.data()), each.value);
      EXPECT_EQ(shmem::test(world.as("test"), cell.data(), each.cmp, 7L), 1);
    }
    world.barrier();
  }
  world.free(cell);
}

RANK_TEST(a_sleeping_rank_is_woken_by_a_put, ranks(2)) {
  const auto cell = world.allocate<int>();
  for (int round = 1; round <= 5; ++round) {
    if (world.me() == 0) {
      linger();
      p(world.as("p"), cell.data(), round, 1);
    } else if (world.me() == 1) {
      wait_until(world.as("wait_until"), cell.data(), SHMEM_CMP_EQ, round);
    }
    world.barrier();
  }
  world.free(cell);
}

RANK_TEST(a_sleeping_rank_is_woken_by_an_atomic, ranks(2)) {
  const auto cell = world.allocate<long>();
  if (world.me() == 1) {
    wait_until(world.as("wait_until"), cell.data(), SHMEM_CMP_EQ, long{world.size() - 1});
  } else {
    linger();
    atomic<AtomicOp::add>(world.as("inc"), cell.data(), 1L, 1);
  }
  world.barrier();
  world.free(cell);
}

RANK_TEST(a_store_that_rings_no_doorbell_ends_a_wait_too, ranks(2)) {
  const auto cell = world.allocate<long>();
  if (world.me() == 0) {
    linger();
    auto* far = static_cast<long*>(world.engine().pointer_to(Rank(1), cell.data()));
    if (far != nullptr)
      std::atomic_ref<long>(*far).store(3);
    else
      p(world.as("p"), cell.data(), 3L, 1);
  } else if (world.me() == 1) {
    wait_until(world.as("wait_until"), cell.data(), SHMEM_CMP_EQ, 3L);
  }
  world.barrier();
  world.free(cell);
}

RANK_TEST(a_barrier_wakes_the_ranks_that_sleep_in_it, ranks(2)) {
  for (int late = 0; late < world.size(); ++late) {
    if (world.me() == late) linger();
    world.barrier();
  }
}

RANK_TEST(a_rank_that_waits_says_for_what, ranks(2)) {
  const auto cell = world.allocate<long>();
  if (world.me() == 1) {
    wait_until(world.as("shmem_long_wait_until"), cell.data(), SHMEM_CMP_EQ, 1L);
  } else if (world.me() == 0) {
    const ControlPage& page = world.engine().page_of(Rank(1));
    const auto says_so = [&] {
      return page.waiting.since_ns.load() != 0 && page.waiting.call() == "shmem_long_wait_until";
    };
    for (int tries = 0; tries < 2000 && !says_so(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(says_so()) << page.waiting.call();
    p(world.as("p"), cell.data(), 1L, 1);
  }
  world.barrier();
  world.free(cell);
}

RANK_TEST(a_comparison_that_does_not_exist_is_refused, ranks(1)) {
  long cell = 0;
  EXPECT_THROW(wait_until(world.as("wait_until"), &cell, 99, 0L), GaveUp);
}

}  // namespace
}  // namespace gondwana::test
