// Locks of the job: one holder at a time, first come first served, and puts of earlier holders
// seen.
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

void linger() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Not atomic: an update is lost if two ranks hold the lock, or one misses the last update.
void update(World& world, long* cell, int pe) {
  const long before = g(world.as("g"), cell, pe);
  p(world.as("p"), cell, before + 1, pe);
}

RANK_TEST(a_lock_lets_one_rank_in_at_a_time, ranks(1)) {
  constexpr int rounds = 200;
  const auto lock = world.allocate<long>();
  const auto cell = world.allocate<long>();
  const int last = world.size() - 1;
  for (int i = 0; i < rounds; ++i) {
    set_lock(world.as("set_lock"), lock.data());
    update(world, cell.data(), last);
    clear_lock(world.as("clear_lock"), lock.data());
  }
  world.barrier();
  EXPECT_EQ(g(world.as("g"), cell.data(), last), long{rounds} * world.size());
  EXPECT_EQ(lock[0], 0);  // the initial value
  world.barrier();
  world.free(lock);
  world.free(cell);
}

RANK_TEST(locks_are_independent, ranks(1)) {
  constexpr std::size_t count = 20;  // so that they live on several ranks
  const auto locks = world.allocate<long>(count);
  const auto cells = world.allocate<long>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (i + static_cast<std::size_t>(world.me())) % count;
    set_lock(world.as("set_lock"), &locks[at]);
    if (at + 1 < count) {
      set_lock(world.as("set_lock"), &locks[at + 1]);
      update(world, &cells[at + 1], 0);
      clear_lock(world.as("clear_lock"), &locks[at + 1]);
    }
    update(world, &cells[at], 0);
    clear_lock(world.as("clear_lock"), &locks[at]);
  }
  world.barrier();
  for (std::size_t i = 0; i < count; ++i)
    EXPECT_EQ(g(world.as("g"), &cells[i], 0), world.size() * (i > 0 ? 2 : 1)) << i;
  world.barrier();
  world.free(locks);
  world.free(cells);
}

RANK_TEST(a_set_lock_is_not_taken_by_test, ranks(1)) {
  const auto lock = world.allocate<long>();
  if (world.me() == 0) {
    EXPECT_EQ(test_lock(world.as("test_lock"), lock.data()), 0);
  }
  world.barrier();
  EXPECT_EQ(test_lock(world.as("test_lock"), lock.data()), 1);
  world.barrier();
  if (world.me() == 0) clear_lock(world.as("clear_lock"), lock.data());
  world.barrier();
  if (world.me() == world.size() - 1) {
    EXPECT_EQ(test_lock(world.as("test_lock"), lock.data()), 0);
    clear_lock(world.as("clear_lock"), lock.data());
  }
  world.barrier();
  EXPECT_EQ(lock[0], 0);
  world.free(lock);
}

RANK_TEST(test_and_set_exclude_each_other, ranks(1)) {
  const auto lock = world.allocate<long>();
  const auto cell = world.allocate<long>();
  long taken = 0;
  for (int i = 0; i < 200; ++i) {
    if (i % 2 == 0)
      set_lock(world.as("set_lock"), lock.data());
    else if (test_lock(world.as("test_lock"), lock.data()) != 0)
      continue;
    ++taken;
    update(world, cell.data(), 0);
    clear_lock(world.as("clear_lock"), lock.data());
  }
  const auto total = world.allocate<long>();
  atomic<AtomicOp::add>(world.as("add"), total.data(), taken, 0);
  world.barrier();
  EXPECT_EQ(g(world.as("g"), cell.data(), 0), g(world.as("g"), total.data(), 0));
  world.barrier();
  world.free(lock);
  world.free(cell);
  world.free(total);
}

// The next holder sees all operations of the default context, not only those to the lock's home.
RANK_TEST(what_was_put_under_a_lock_is_seen_by_the_next_holder, ranks(2)) {
  const auto lock = world.allocate<long>();
  const auto round = world.allocate<long>();
  const auto data = world.allocate<long>(400);
  for (int i = 0; i < 30; ++i) {
    set_lock(world.as("set_lock"), lock.data());
    const long now = g(world.as("g"), round.data(), 0);
    for (int pe = 0; pe < world.size(); ++pe) {
      std::vector<long> seen(400);
      get<8>(world.as("get"), seen.data(), data.data(), 400, pe);
      EXPECT_EQ(seen, std::vector<long>(400, now));
    }
    const std::vector<long> next(400, now + 1);
    for (int pe = 0; pe < world.size(); ++pe)
      put_nbi<8>(world.as("put_nbi"), data.data(), next.data(), 400, pe);
    p(world.as("p"), round.data(), now + 1, 0);
    clear_lock(world.as("clear_lock"), lock.data());
  }
  world.barrier();
  world.free(lock);
  world.free(round);
  world.free(data);
}

bool waits_for(World& world, int rank, const char* call) {
  const Waiting* wait =
      world.engine().memory().threads(Rank(static_cast<std::uint32_t>(rank))).longest_wait();
  return wait != nullptr && wait->call() == call;
}

// Each rank calls once the one before it is seen waiting.
RANK_TEST(ranks_get_the_lock_in_the_order_in_which_they_came, ranks(2)) {
  // A rank sees that another waits in the pages of that rank, which other nodes do not map.
  if (world.engine().memory().plan().nodes > 1) return;
  const auto lock = world.allocate<long>();
  const auto order = world.allocate<int>(static_cast<std::size_t>(world.size()));
  const auto served = world.allocate<int>();
  if (world.me() == 0) set_lock(world.as("shmem_set_lock"), lock.data());
  world.barrier();
  if (world.me() > 1) {
    for (int tries = 0; tries < 10'000; ++tries) {
      if (waits_for(world, world.me() - 1, "shmem_set_lock")) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(waits_for(world, world.me() - 1, "shmem_set_lock"));
  }
  if (world.me() == 0) {
    for (int tries = 0; tries < 10'000 && !waits_for(world, world.size() - 1, "shmem_set_lock");
         ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } else {
    set_lock(world.as("shmem_set_lock"), lock.data());
    const int place = g(world.as("g"), served.data(), 0);
    p(world.as("p"), &order[static_cast<std::size_t>(place)], world.me(), 0);
    p(world.as("p"), served.data(), place + 1, 0);
  }
  clear_lock(world.as("shmem_clear_lock"), lock.data());
  world.barrier();
  if (world.me() == 0) {
    for (int i = 0; i + 1 < world.size(); ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i + 1);
  }
  world.barrier();
  world.free(lock);
  world.free(order);
  world.free(served);
}

RANK_TEST(a_rank_that_sleeps_before_a_lock_is_woken, ranks(2)) {
  const auto lock = world.allocate<long>();
  for (int round = 0; round < 5; ++round) {
    if (world.me() == 0) {
      set_lock(world.as("set_lock"), lock.data());
      world.barrier();
      linger();
      clear_lock(world.as("clear_lock"), lock.data());
    } else {
      world.barrier();
      set_lock(world.as("set_lock"), lock.data());
      clear_lock(world.as("clear_lock"), lock.data());
    }
    world.barrier();
  }
  world.free(lock);
}

// Initial values that name a rank, and one that names none; any rank may use the lock first.
RANK_TEST(a_lock_that_was_not_zero_at_first_is_told, ranks(1).with_checks()) {
  const auto locks = world.allocate<long>(6);
  for (const long value : {1L, long{world.size()}, 99L}) {
    for (int user = 0; user < world.size(); ++user) {
      std::ranges::fill(locks, value);
      world.barrier();
      if (world.me() == user) {
        for (long& lock : locks)
          EXPECT_TRUE(says("was not 0 on every rank", [&] { set_lock(world.as("set"), &lock); }));
      }
      world.barrier();
    }
    std::ranges::fill(locks, value);
    world.barrier();
    // For a rank that is named at the home, only waiting tells whether it holds the lock.
    if (world.me() == 0 && (value == 1 || value == 99)) {
      for (long& lock : locks)
        EXPECT_TRUE(says("was not 0 on every rank", [&] { test_lock(world.as("test"), &lock); }));
    }
    world.barrier();
  }
  std::ranges::fill(locks, 0);
  world.barrier();
  if (world.me() == 0) {
    for (long& lock : locks) {
      set_lock(world.as("set"), &lock);
      clear_lock(world.as("clear"), &lock);
    }
  }
  world.barrier();
  world.free(locks);
}

RANK_TEST(misuse_of_a_lock_is_told, ranks(1)) {
  const auto lock = world.allocate<long>();
  long here = 0;
  EXPECT_TRUE(says("is not held by rank", [&] { clear_lock(world.as("clear"), lock.data()); }));
  EXPECT_TRUE(says("a lock of 8 B at address", [&] { set_lock(world.as("set"), &here); }));
  EXPECT_TRUE(says("not symmetric", [&] { test_lock(world.as("test"), &here); }));
  EXPECT_TRUE(says("not symmetric", [&] { clear_lock(world.as("clear"), &here); }));
  world.barrier();
  set_lock(world.as("set_lock"), lock.data());
  EXPECT_EQ(test_lock(world.as("test_lock"), lock.data()), 1);
  if (world.engine().threads() == Threads::one_at_a_time) {
    EXPECT_TRUE(says("would wait for itself", [&] { set_lock(world.as("set"), lock.data()); }));
  }
  clear_lock(world.as("clear_lock"), lock.data());
  world.barrier();
  EXPECT_EQ(lock[0], 0);
  world.free(lock);
}

void in_threads(int count, const std::function<void()>& body) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads.emplace_back(body);
}

RANK_TEST(threads_of_one_rank_take_turns_at_a_lock, ranks(1).with_threads()) {
  constexpr int threads = 4;
  constexpr int rounds = 50;
  const auto lock = world.allocate<long>();
  const auto cell = world.allocate<long>();
  in_threads(threads, [&] {
    for (int i = 0; i < rounds; ++i) {
      if (i % 3 == 0) {
        while (test_lock(world.as("test_lock"), lock.data()) != 0) std::this_thread::yield();
      } else {
        set_lock(world.as("set_lock"), lock.data());
      }
      update(world, cell.data(), 0);
      clear_lock(world.as("clear_lock"), lock.data());
    }
  });
  world.barrier();
  EXPECT_EQ(g(world.as("g"), cell.data(), 0), long{threads} * rounds * world.size());
  EXPECT_EQ(lock[0], 0);
  world.barrier();
  world.free(lock);
  world.free(cell);
}

// Waiters of one lock must not delay waiters of another.
RANK_TEST(threads_hold_different_locks_at_once, ranks(1).with_threads()) {
  const auto locks = world.allocate<long>(2);
  const auto cell = world.allocate<long>();
  std::atomic<bool> first_held{false};
  if (world.me() == 0) {
    const std::jthread other([&] {
      set_lock(world.as("set_lock"), &locks[0]);
      first_held = true;
      set_lock(world.as("set_lock"), &locks[1]);
      update(world, cell.data(), 0);
      clear_lock(world.as("clear_lock"), &locks[1]);
      clear_lock(world.as("clear_lock"), &locks[0]);
    });
    while (!first_held) std::this_thread::yield();
    set_lock(world.as("set_lock"), &locks[1]);
    update(world, cell.data(), 0);
    clear_lock(world.as("clear_lock"), &locks[1]);
  }
  world.barrier();
  EXPECT_EQ(g(world.as("g"), cell.data(), 0), 2);
  world.barrier();
  world.free(locks);
  world.free(cell);
}

}  // namespace
}  // namespace gondwana::test
