// Puts with a signal: a rank that sees the signal sees the data.
#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "support/rank_test.hpp"
#include "support/ways.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

using PutSignal = void (*)(Caller, void*, const void*, std::size_t, std::uint64_t*, std::uint64_t,
                           int, int);

// Data and signal travel around the ring; each rank checks the data before it answers.
void data_is_there_when_the_signal_is(World& world, const Way& way, std::size_t count,
                                      PutSignal call) {
  const auto data = world.allocate<long>(count);
  const auto signals = world.allocate<std::uint64_t>(2);
  std::vector<long> source(count);
  for (std::uint64_t round = 1; round <= 30; ++round) {
    const auto value = static_cast<long>(round);
    std::ranges::fill(source, value);
    call(way.as("put_signal"), data.data(), source.data(), count, &signals[0], round,
         SHMEM_SIGNAL_SET, way.right());
    EXPECT_EQ(signal_wait_until(world.as("wait"), &signals[0], SHMEM_CMP_GE, round), round);
    ASSERT_TRUE(std::ranges::all_of(data, [&](long seen) { return seen == value; })) << round;
    signal_add(way.as("add"), &signals[1], 1, way.left());
    signal_wait_until(world.as("wait"), &signals[1], SHMEM_CMP_GE, round);
    quiet(way.as("quiet"));  // only now: it would complete what the signal should have followed
  }
  world.barrier();
  world.free(data);
  world.free(signals);
}

RANK_TEST(the_signal_of_a_put_follows_its_data, ranks(1)) {
  in_every_way(world, [&](const Way& way) {
    for (const std::size_t count : {1UL, 2UL, 100UL, 600UL, 3'000UL}) {
      data_is_there_when_the_signal_is(world, way, count, &put_signal<8>);
      data_is_there_when_the_signal_is(world, way, count, &put_signal_nbi<8>);
    }
  });
}

// Puts of all sizes to both neighbours; each neighbour gets one signal.
void signals_follow_all_puts(World& world, const Way& way, int op) {
  constexpr std::array<std::size_t, 4> sizes{1, 7, 300, 5'000};
  constexpr std::size_t total = 5'308;
  const auto data = world.allocate<long>(2 * total);
  const auto signals = world.allocate<std::uint64_t>(2);
  std::vector<long> source(total);
  for (std::uint64_t round = 1; round <= 10; ++round) {
    std::ranges::fill(source, static_cast<long>(round));
    for (std::size_t side = 0; side < 2; ++side) {
      const int pe = side == 0 ? way.left() : way.right();
      long* dest = &data[side * total];
      for (const std::size_t size : sizes) {
        put_nbi<8>(way.as("put_nbi"), dest, source.data(), size, pe);
        dest += size;
      }
      const std::uint64_t value = op == SHMEM_SIGNAL_SET ? round : 1;
      signal_after(way.as("signal_after"), &signals[side], value, op, pe);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      signal_wait_until(world.as("wait"), &signals[side], SHMEM_CMP_GE, round);
      const auto arrived = std::span(data).subspan(side * total, total);
      ASSERT_TRUE(std::ranges::all_of(arrived, [&](long seen) { return seen == source[0]; }));
    }
    world.barrier();  // completes the puts, whose source changes
  }
  quiet(way.as("quiet"));
  world.barrier();
  world.free(data);
  world.free(signals);
}

RANK_TEST(a_signal_after_puts_follows_all_of_them, ranks(1)) {
  in_every_way(world, [&](const Way& way) {
    signals_follow_all_puts(world, way, SHMEM_SIGNAL_SET);
    signals_follow_all_puts(world, way, SHMEM_SIGNAL_ADD);
  });
}

RANK_TEST(the_source_of_a_put_with_signal_may_be_reused, ranks(2)) {
  const auto data = world.allocate<int>(64);
  const auto arrived = world.allocate<std::uint64_t>();
  std::vector<int> source(64, 1);
  put_signal<4>(world.as("put_signal"), data.data(), source.data(), 64, arrived.data(), 1,
                SHMEM_SIGNAL_SET, world.right());
  std::ranges::fill(source, -1);
  signal_wait_until(world.as("wait"), arrived.data(), SHMEM_CMP_EQ, 1);
  EXPECT_TRUE(std::ranges::all_of(data, [](int value) { return value == 1; }));
  world.barrier();
  world.free(data);
  world.free(arrived);
}

RANK_TEST(signals_of_all_ranks_add_up, ranks(1)) {
  const auto cells = world.allocate<std::uint16_t>(static_cast<std::size_t>(world.size()));
  const auto count = world.allocate<std::uint64_t>();
  const auto mine = static_cast<std::uint16_t>(world.me() + 1);
  std::uint16_t* cell = &cells[static_cast<std::size_t>(world.me())];
  for (int pe = 0; pe < world.size(); ++pe)
    put_signal<2>(world.as("put_signal"), cell, &mine, 1, count.data(), 1, SHMEM_SIGNAL_ADD, pe);
  const auto all = static_cast<std::uint64_t>(world.size());
  EXPECT_EQ(signal_wait_until(world.as("wait"), count.data(), SHMEM_CMP_EQ, all), all);
  for (int pe = 0; pe < world.size(); ++pe) EXPECT_EQ(cells[static_cast<std::size_t>(pe)], pe + 1);
  world.barrier();
  world.free(cells);
  world.free(count);
}

RANK_TEST(contended_signals_lose_nothing, ranks(1)) {
  constexpr std::uint64_t each = 300;
  const auto count = world.allocate<std::uint64_t>();
  for (std::uint64_t i = 0; i < each; ++i) {
    if (i % 2 == 0)
      signal_add(world.as("signal_add"), count.data(), 1, 0);
    else
      put_signal<1>(world.as("put_signal"), nullptr, nullptr, 0, count.data(), 1, SHMEM_SIGNAL_ADD,
                    0);
  }
  world.barrier();
  if (world.me() == 0) {
    EXPECT_EQ(signal_fetch(world.as("fetch"), count.data()),
              each * static_cast<std::uint64_t>(world.size()));
  }
  world.barrier();
  world.free(count);
}

RANK_TEST(a_put_of_nothing_still_signals, ranks(1)) {
  const auto signal = world.allocate<std::uint64_t>();
  const auto data = world.allocate<long>();
  put_signal<8>(world.as("put_signal"), data.data(), nullptr, 0, signal.data(), 7, SHMEM_SIGNAL_SET,
                world.right());
  EXPECT_EQ(signal_wait_until(world.as("wait"), signal.data(), SHMEM_CMP_NE, 0), 7U);
  EXPECT_EQ(data[0], 0);
  world.barrier();
  world.free(signal);
  world.free(data);
}

RANK_TEST(a_signal_can_be_set_added_to_and_fetched, ranks(1)) {
  const auto signal = world.allocate<std::uint64_t>();
  const std::uint64_t high = std::uint64_t{1} << 63;
  in_every_way(world, [&](const Way& way) {
    signal_set(way.as("set"), signal.data(), high, way.right());
    quiet(way.as("quiet"));
    signal_add(way.as("add"), signal.data(), 5, way.right());
    quiet(way.as("quiet"));
    world.barrier();
    EXPECT_EQ(signal_fetch(world.as("fetch"), signal.data()), high + 5);
    world.barrier();
  });
  world.free(signal);
}

RANK_TEST(a_rank_that_sleeps_on_a_signal_is_woken, ranks(2)) {
  const auto signal = world.allocate<std::uint64_t>();
  const auto data = world.allocate<long>(100);
  const std::vector<long> source(100, 3);
  for (std::uint64_t round = 1; round <= 5; ++round) {
    if (world.me() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      put_signal<8>(world.as("put_signal"), data.data(), source.data(), 100, signal.data(), 1,
                    SHMEM_SIGNAL_ADD, 1);
    } else if (world.me() == 1) {
      signal_wait_until(world.as("wait"), signal.data(), SHMEM_CMP_EQ, round);
      EXPECT_EQ(data[99], 3);
    }
    world.barrier();
  }
  world.free(signal);
  world.free(data);
}

// A loop of fetches must make progress on this rank's puts, or the answer never arrives.
RANK_TEST(a_loop_of_fetches_makes_progress, ranks(2)) {
  const auto signals = world.allocate<std::uint64_t>(2);
  if (world.me() < 2) {
    signal_set(world.as("set"), &signals[0], 1, 1 - world.me());
    while (signal_fetch(world.as("fetch"), &signals[0]) == 0) std::this_thread::yield();
    signal_set(world.as("set"), &signals[1], 1, 1 - world.me());
    while (shmem::test(world.as("test"), &signals[1], SHMEM_CMP_NE, std::uint64_t{0}) == 0)
      std::this_thread::yield();
  }
  world.barrier();
  world.free(signals);
}

// An invalid put with signal writes neither data nor signal.
RANK_TEST(wrong_arguments_of_a_put_with_signal_write_nothing, ranks(1).without_checks()) {
  const auto data = world.allocate<long>(2);
  const auto signal = world.allocate<std::uint64_t>();
  std::vector<long> here(2, 1);
  std::uint64_t own = 0;
  const Caller caller = world.as("put_signal");
  const int pe = world.right();
  EXPECT_TRUE(says("signal operation 7: expected SHMEM_SIGNAL_SET", [&] {
    put_signal<8>(caller, data.data(), here.data(), 2, signal.data(), 1, 7, pe);
  }));
  EXPECT_TRUE(says("signal of 8 B at address", [&] {
    put_signal<8>(caller, data.data(), here.data(), 2, &own, 1, SHMEM_SIGNAL_SET, pe);
  }));
  EXPECT_TRUE(says("put of 16 B at address", [&] {
    put_signal<8>(caller, here.data(), here.data(), 2, signal.data(), 1, SHMEM_SIGNAL_ADD, pe);
  }));
  EXPECT_TRUE(says("this job has", [&] {
    put_signal_nbi<8>(caller, data.data(), here.data(), 2, signal.data(), 1, SHMEM_SIGNAL_SET, -1);
  }));
  EXPECT_TRUE(says("comparison 0", [&] { signal_wait_until(caller, signal.data(), 0, 1); }));
  world.barrier();
  EXPECT_EQ(data[0] + data[1], 0);
  EXPECT_EQ(signal[0], 0U);
  world.barrier();
  world.free(data);
  world.free(signal);
}

}  // namespace
}  // namespace gondwana::test
