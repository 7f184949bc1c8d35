#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <set>
#include <thread>
#include <vector>

#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Long enough that a waiting rank sleeps.
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
      EXPECT_EQ(Cells(world.as("look"), cell.data()).load(), each.value);
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
    auto* far = static_cast<long*>(world.engine().rma().pointer_to(Rank(1), cell.data()));
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
  // Only ranks of the same node can read it.
  if (world.engine().memory().plan().nodes > 1) return;
  const auto cell = world.allocate<long>();
  if (world.me() == 1) {
    wait_until(world.as("shmem_long_wait_until"), cell.data(), SHMEM_CMP_EQ, 1L);
  } else if (world.me() == 0) {
    const ThreadSlots& threads = world.engine().memory().threads(Rank(1));
    const auto says_so = [&] {
      const Waiting* wait = threads.longest_wait();
      return wait != nullptr && wait->call() == "shmem_long_wait_until";
    };
    for (int tries = 0; tries < 2000 && !says_so(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(says_so());
    p(world.as("p"), cell.data(), 1L, 1);
  }
  world.barrier();
  world.free(cell);
}

// Compares with the operators of the language, at the ends of the range and between.
template <typename T>
void comparisons_mean_what_they_say(World& world) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  const T values[] = {least, static_cast<T>(least + 1), static_cast<T>(-1),       0,
                      1,     static_cast<T>(most / 2),  static_cast<T>(most - 1), most};
  for (const T a : values) {
    for (const T b : values) {
      const bool expected[] = {a == b, a != b, a > b, a >= b, a < b, a <= b};
      for (int cmp = SHMEM_CMP_EQ; cmp <= SHMEM_CMP_LE; ++cmp)
        EXPECT_EQ(Comparison(world.as("cmp"), cmp).with(b).holds(a), expected[cmp - SHMEM_CMP_EQ])
            << +a << " and " << +b << " by " << cmp;
    }
  }
}

RANK_TEST(comparisons_hold_at_the_ends_of_every_type, ranks(1)) {
  comparisons_mean_what_they_say<short>(world);
  comparisons_mean_what_they_say<int>(world);
  comparisons_mean_what_they_say<long>(world);
  comparisons_mean_what_they_say<long long>(world);
  comparisons_mean_what_they_say<unsigned short>(world);
  comparisons_mean_what_they_say<unsigned int>(world);
  comparisons_mean_what_they_say<unsigned long>(world);
  comparisons_mean_what_they_say<unsigned long long>(world);
}

// Every form of the call, on a set of three; the status array excludes the middle one.
template <typename T>
void all_forms_look_at_the_set(World& world) {
  const auto cells = world.allocate<T>(3);
  const std::array<int, 3> status{0, 1, 0};
  const std::array<T, 3> wanted{5, 0, 9};
  std::array<std::size_t, 3> indices{};
  const auto as = [&] { return world.as("waiting"); };
  EXPECT_EQ(test_all(as(), cells.data(), 3, status.data(), SHMEM_CMP_NE, T{0}), 0);
  EXPECT_EQ(test_any_vector(as(), cells.data(), 3, status.data(), SHMEM_CMP_EQ, wanted.data()),
            SIZE_MAX);
  EXPECT_EQ(test_some(as(), cells.data(), 3, indices.data(), status.data(), SHMEM_CMP_NE, T{0}),
            0U);
  world.barrier();
  p(world.as("p"), &cells[0], T{5}, world.right());
  p(world.as("p"), &cells[2], T{9}, world.right());
  wait_until_all(as(), cells.data(), 3, status.data(), SHMEM_CMP_NE, T{0});
  wait_until_all_vector(as(), cells.data(), 3, status.data(), SHMEM_CMP_EQ, wanted.data());
  EXPECT_EQ(wait_until_any(as(), cells.data(), 3, status.data(), SHMEM_CMP_GT, T{5}), 2U);
  EXPECT_EQ(wait_until_any_vector(as(), cells.data(), 3, status.data(), SHMEM_CMP_LT,
                                  std::array<T, 3>{6, 6, 6}.data()),
            0U);
  EXPECT_EQ(
      wait_until_some(as(), cells.data(), 3, indices.data(), status.data(), SHMEM_CMP_GE, T{5}),
      2U);
  EXPECT_EQ(indices[0] + indices[1], 2U);
  EXPECT_EQ(wait_until_some_vector(as(), cells.data(), 3, indices.data(), nullptr, SHMEM_CMP_EQ,
                                   wanted.data()),
            3U);
  EXPECT_EQ(std::set<std::size_t>(indices.begin(), indices.end()),
            (std::set<std::size_t>{0, 1, 2}));
  EXPECT_EQ(test_all(as(), cells.data(), 3, status.data(), SHMEM_CMP_GE, T{5}), 1);
  EXPECT_EQ(test_all(as(), cells.data(), 3, nullptr, SHMEM_CMP_GE, T{5}), 0);
  EXPECT_EQ(test_all_vector(as(), cells.data(), 3, nullptr, SHMEM_CMP_EQ, wanted.data()), 1);
  EXPECT_EQ(test_any(as(), cells.data(), 3, status.data(), SHMEM_CMP_LE, T{5}), 0U);
  EXPECT_EQ(test_some(as(), cells.data(), 3, indices.data(), status.data(), SHMEM_CMP_EQ, T{9}),
            1U);
  EXPECT_EQ(indices[0], 2U);
  EXPECT_EQ(test_some_vector(as(), cells.data(), 3, indices.data(), status.data(), SHMEM_CMP_NE,
                             wanted.data()),
            0U);
  world.barrier();
  world.free(cells);
}

RANK_TEST(every_form_of_waiting_works_on_every_type, ranks(1)) {
  all_forms_look_at_the_set<short>(world);
  all_forms_look_at_the_set<int>(world);
  all_forms_look_at_the_set<long>(world);
  all_forms_look_at_the_set<long long>(world);
  all_forms_look_at_the_set<unsigned short>(world);
  all_forms_look_at_the_set<unsigned int>(world);
  all_forms_look_at_the_set<unsigned long>(world);
  all_forms_look_at_the_set<unsigned long long>(world);
}

RANK_TEST(an_empty_set_is_not_waited_for, ranks(1)) {
  const auto cells = world.allocate<int>(2);
  const std::array<int, 2> left_out{1, -1};
  const std::array<int, 2> values{7, 7};
  std::array<std::size_t, 2> indices{};
  for (const std::size_t count : {0UL, 2UL}) {
    const int* status = count == 0 ? nullptr : left_out.data();
    const Caller caller = world.as("waiting");
    wait_until_all(caller, cells.data(), count, status, SHMEM_CMP_EQ, 7);
    wait_until_all_vector(caller, cells.data(), count, status, SHMEM_CMP_EQ, values.data());
    EXPECT_EQ(wait_until_any(caller, cells.data(), count, status, SHMEM_CMP_EQ, 7), SIZE_MAX);
    EXPECT_EQ(
        wait_until_any_vector(caller, cells.data(), count, status, SHMEM_CMP_EQ, values.data()),
        SIZE_MAX);
    EXPECT_EQ(wait_until_some(caller, cells.data(), count, indices.data(), status, SHMEM_CMP_EQ, 7),
              0U);
    EXPECT_EQ(wait_until_some_vector(caller, cells.data(), count, indices.data(), status,
                                     SHMEM_CMP_EQ, values.data()),
              0U);
    EXPECT_EQ(test_all(caller, cells.data(), count, status, SHMEM_CMP_EQ, 7), 1);
    EXPECT_EQ(test_all_vector(caller, cells.data(), count, status, SHMEM_CMP_EQ, values.data()), 1);
    EXPECT_EQ(test_any(caller, cells.data(), count, status, SHMEM_CMP_EQ, 7), SIZE_MAX);
    EXPECT_EQ(test_some(caller, cells.data(), count, indices.data(), status, SHMEM_CMP_EQ, 7), 0U);
  }
  world.barrier();
  world.free(cells);
}

// Calls on other sets come between, always the same number of them.
RANK_TEST(whatever_is_there_is_returned_in_the_end, ranks(1)) {
  const auto cells = world.allocate<long>(11);
  const auto other = world.allocate<long>(4);
  std::ranges::fill(cells, 1);
  std::ranges::fill(other, 1);
  std::set<std::size_t> waited;
  std::set<std::size_t> tested;
  for (int i = 0; i < 400; ++i) {
    waited.insert(wait_until_any(world.as("any"), cells.data(), 11, nullptr, SHMEM_CMP_EQ, 1L));
    test_any(world.as("any"), other.data(), 4, nullptr, SHMEM_CMP_EQ, 1L);
    tested.insert(test_any(world.as("any"), cells.data(), 11, nullptr, SHMEM_CMP_EQ, 1L));
  }
  EXPECT_EQ(waited.size(), 11U);
  EXPECT_EQ(tested.size(), 11U);
  world.barrier();
  world.free(cells);
  world.free(other);
}

// An element that was met counts, even if it changes while the call waits for the others.
RANK_TEST(a_met_element_may_change_while_others_are_waited_for, ranks(2)) {
  const auto cells = world.allocate<long>(2);
  if (world.me() == 0) {
    p(world.as("p"), &cells[0], 1L, 1);
    quiet(world.as("quiet"));
    linger();
    p(world.as("p"), &cells[1], 1L, 1);
  } else if (world.me() == 1) {
    wait_until_all(world.as("all"), cells.data(), 2, nullptr, SHMEM_CMP_EQ, 1L);
    EXPECT_EQ(cells[0] + cells[1], 2);
  }
  world.barrier();
  world.free(cells);
}

// A rank that waits for flags of many ranks, in any way, may read what each put before its flag.
template <typename Wait>
void data_of_all_is_there(World& world, const Wait& wait) {
  const auto all = static_cast<std::size_t>(world.size());
  const auto mine = static_cast<std::size_t>(world.me());
  const auto data = world.allocate<long>(all * 200);
  const auto flags = world.allocate<int>(all);
  for (int round = 1; round <= 10; ++round) {
    const std::vector<long> source(200, 1000L * round + world.me());
    for (int i = 0; i < world.size(); ++i) {
      const int pe = (world.me() + i) % world.size();
      put<8>(world.as("put"), &data[mine * 200], source.data(), 200, pe);
      fence(world.as("fence"));
      p(world.as("p"), &flags[mine], round, pe);
    }
    wait(flags, round, [&](std::size_t from) {
      const auto block = data.subspan(from * 200, 200);
      EXPECT_TRUE(std::ranges::all_of(
          block, [&](long value) { return value == 1000L * round + static_cast<long>(from); }));
    });
    world.barrier();
  }
  world.free(data);
  world.free(flags);
}

RANK_TEST(data_before_each_flag_is_there_after_a_wait_for_all, ranks(1)) {
  data_of_all_is_there(world, [&](std::span<int> flags, int round, const auto& check_from) {
    wait_until_all(world.as("all"), flags.data(), flags.size(), nullptr, SHMEM_CMP_EQ, round);
    for (std::size_t i = 0; i < flags.size(); ++i) check_from(i);
  });
}

RANK_TEST(data_before_each_flag_is_there_after_a_wait_for_any, ranks(1)) {
  data_of_all_is_there(world, [&](std::span<int> flags, int round, const auto& check_from) {
    std::vector<int> status(flags.size());
    for (std::size_t n = 0; n < flags.size(); ++n) {
      const std::size_t i = wait_until_any(world.as("any"), flags.data(), flags.size(),
                                           status.data(), SHMEM_CMP_EQ, round);
      ASSERT_LT(i, flags.size());
      ASSERT_EQ(status[i], 0);
      status[i] = 1;
      check_from(i);
    }
  });
}

RANK_TEST(data_before_each_flag_is_there_after_a_wait_for_some, ranks(1)) {
  data_of_all_is_there(world, [&](std::span<int> flags, int round, const auto& check_from) {
    std::vector<int> status(flags.size());
    std::vector<std::size_t> indices(flags.size());
    for (std::size_t n = 0; n < flags.size();) {
      const std::size_t found = wait_until_some(world.as("some"), flags.data(), flags.size(),
                                                indices.data(), status.data(), SHMEM_CMP_EQ, round);
      ASSERT_GT(found, 0U);
      n += found;
      for (std::size_t i = 0; i < found; ++i) {
        ASSERT_EQ(status[indices[i]]++, 0);
        check_from(indices[i]);
      }
    }
  });
}

RANK_TEST(a_rank_that_sleeps_on_many_cells_is_woken_by_one, ranks(2)) {
  const auto cells = world.allocate<unsigned>(50);
  std::array<std::size_t, 50> indices{};
  for (unsigned round = 1; round <= 3; ++round) {
    if (world.me() == 0) {
      linger();
      p(world.as("p"), &cells[std::size_t{10} * round], round, 1);
    } else if (world.me() == 1) {
      ASSERT_EQ(wait_until_some(world.as("some"), cells.data(), 50, indices.data(), nullptr,
                                SHMEM_CMP_EQ, round),
                1U);
      EXPECT_EQ(indices[0], round * 10);
    }
    world.barrier();
  }
  world.free(cells);
}

// A token travels around the ring; each rank polls for it. When oversubscribed, a rank that never
// yields would block the next one.
template <typename Poll>
void a_polling_ring_ends(World& world, const Poll& came) {
  constexpr std::uint64_t turns = 10;
  const auto token = world.allocate<std::uint64_t>(1);
  std::uint64_t failed = 0;
  for (std::uint64_t turn = 1; turn <= turns; ++turn) {
    if (world.me() == 0) p(world.as("p"), token.data(), turn, world.right());
    while (!came(token.data(), turn)) ++failed;
    if (world.me() != 0) p(world.as("p"), token.data(), turn, world.right());
  }
  constexpr std::uint64_t many = 20'000;
  if (failed >= many && world.engine().locks().is_oversubscribed) {
    EXPECT_GT(world.engine().waiter().polls().yields(), 0U);
  }
  world.barrier();
  world.free(token);
}

RANK_TEST(a_ring_of_test_ends, ranks(2)) {
  a_polling_ring_ends(world, [&](std::uint64_t* token, std::uint64_t turn) {
    return shmem::test(world.as("test"), token, SHMEM_CMP_EQ, turn) != 0;
  });
}

RANK_TEST(a_ring_of_test_any_all_and_some_ends, ranks(2)) {
  a_polling_ring_ends(world, [&](std::uint64_t* token, std::uint64_t turn) {
    std::size_t index = 0;
    return test_any(world.as("any"), token, 1, nullptr, SHMEM_CMP_EQ, turn) == 0 ||
           test_all(world.as("all"), token, 1, nullptr, SHMEM_CMP_EQ, turn) != 0 ||
           test_some(world.as("some"), token, 1, &index, nullptr, SHMEM_CMP_EQ, turn) != 0;
  });
}

RANK_TEST(a_ring_of_signal_fetch_ends, ranks(2)) {
  a_polling_ring_ends(world, [&](const std::uint64_t* token, std::uint64_t turn) {
    return signal_fetch(world.as("fetch"), token) == turn;
  });
}

RANK_TEST(a_ring_of_atomic_fetch_ends, ranks(2)) {
  a_polling_ring_ends(world, [&](const std::uint64_t* token, std::uint64_t turn) {
    return atomic_fetch(world.as("fetch"), token, world.me()) == turn;
  });
}

RANK_TEST(a_loop_of_test_lock_ends, ranks(2)) {
  const auto lock = world.allocate<long>(1);
  for (int turn = 0; turn < 10; ++turn) {
    while (test_lock(world.as("test_lock"), lock.data()) != 0) continue;
    clear_lock(world.as("clear_lock"), lock.data());
  }
  world.barrier();
  world.free(lock);
}

RANK_TEST(a_comparison_that_does_not_exist_is_refused, ranks(1)) {
  long cell = 0;
  EXPECT_THROW(wait_until(world.as("wait_until"), &cell, 99, 0L), GaveUp);
  EXPECT_THROW(wait_until_all(world.as("all"), &cell, 0, nullptr, 0, 0L), GaveUp);
  EXPECT_THROW(test_any_vector(world.as("any"), &cell, 1, nullptr, -1, &cell), GaveUp);
}

}  // namespace
}  // namespace gondwana::test
