#include <algorithm>
#include <bit>
#include <complex>
#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

RANK_TEST(nobody_leaves_a_barrier_before_all_have_come, ranks(1)) {
  const auto arrived = world.allocate<long>();
  for (long round = 1; round <= 200; ++round) {
    atomic<AtomicOp::add>(world.as("inc"), arrived.data(), 1L, 0);
    world.barrier();
    EXPECT_EQ(g(world.as("g"), arrived.data(), 0), round * long{world.size()});
    world.barrier();
  }
  world.free(arrived);
}

RANK_TEST(barrier_completes_puts_at_their_targets, ranks(2)) {
  const auto cells = world.allocate<int>(static_cast<std::size_t>(world.size()));
  for (int round = 1; round <= 50; ++round) {
    for (int pe = 0; pe < world.size(); ++pe) p(world.as("p"), &cells[world.me()], round, pe);
    world.barrier();
    EXPECT_TRUE(std::ranges::all_of(cells, [&](int value) { return value == round; }));
    world.barrier();
  }
  world.free(cells);
}

RANK_TEST(broadcast_copies_from_every_root_in_every_size, ranks(1)) {
  constexpr std::size_t most = 20'000;
  const auto source = world.allocate<long>(most);
  const auto dest = world.allocate<long>(most);
  for (const std::size_t count : {0UL, 1UL, 100UL, most}) {
    for (int root = 0; root < world.size(); ++root) {
      std::ranges::fill(source, world.me() * 1000L + static_cast<long>(count));
      std::ranges::fill(dest, -1);
      world.barrier();
      broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, dest.data(), source.data(), count,
                   root);
      const long expected = root * 1000L + static_cast<long>(count);
      EXPECT_TRUE(std::all_of(dest.begin(), dest.begin() + static_cast<long>(count),
                              [&](long value) { return value == expected; }));
      EXPECT_TRUE(count == most || dest[count] == -1);
      world.barrier();
    }
  }
  world.free(source);
  world.free(dest);
}

RANK_TEST(the_root_may_reuse_its_source_after_a_broadcast, ranks(2)) {
  const auto source = world.allocate<long>(500);
  const auto dest = world.allocate<long>(500);
  for (long round = 1; round <= 100; ++round) {
    if (world.me() == 0) std::ranges::fill(source, round);
    broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, dest.data(), source.data(), 500, 0);
    ASSERT_TRUE(std::ranges::all_of(dest, [&](long value) { return value == round; })) << round;
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(a_root_outside_the_team_is_refused, ranks(1)) {
  const auto cell = world.allocate<long>();
  EXPECT_THROW(broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, cell.data(), cell.data(), 1,
                            world.size()),
               GaveUp);
  EXPECT_THROW(
      broadcast<8>(world.as("broadcast"), SHMEM_TEAM_INVALID, cell.data(), cell.data(), 1, 0),
      GaveUp);
  world.barrier();
  world.free(cell);
}

template <typename T>
T term_of(int rank, std::size_t i) {
  const std::size_t term = (static_cast<std::size_t>(rank) + 1) * (1 + i % 5);
  return static_cast<T>(term);
}

template <ReduceOp Op, typename T>
T expected_of(int ranks, std::size_t i) {
  T result = term_of<T>(0, i);
  for (int rank = 1; rank < ranks; ++rank) result = combined<Op>(result, term_of<T>(rank, i));
  return result;
}

template <ReduceOp Op, typename T>
void reduces_every_size(World& world) {
  constexpr std::size_t most = 150'000;
  const auto source = world.allocate<T>(most);
  const auto dest = world.allocate<T>(most);
  for (const std::size_t count : {0UL, 1UL, 3UL, 257UL, 5'000UL, most}) {
    for (std::size_t i = 0; i < count; ++i) source[i] = term_of<T>(world.me(), i);
    ASSERT_EQ((reduce<Op>(world.as("reduce"), SHMEM_TEAM_WORLD, dest.data(), source.data(), count)),
              0);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(dest[i], (expected_of<Op, T>(world.size(), i))) << i << " of " << count;
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(sums_of_integers_are_exact, ranks(1)) {
  reduces_every_size<ReduceOp::sum, long>(world);
}
RANK_TEST(sums_of_bytes_are_exact, ranks(1)) {
  reduces_every_size<ReduceOp::sum, unsigned char>(world);
}
RANK_TEST(sums_of_doubles_are_exact, ranks(1)) {
  reduces_every_size<ReduceOp::sum, double>(world);
}
RANK_TEST(maxima_are_found, ranks(1)) {
  reduces_every_size<ReduceOp::max, int>(world);
}
RANK_TEST(minima_are_found, ranks(1)) {
  reduces_every_size<ReduceOp::min, float>(world);
}

RANK_TEST(sums_of_complex_numbers_are_exact, ranks(1)) {
  using Complex = std::complex<double>;
  const auto source = world.allocate<Complex>();
  const auto dest = world.allocate<Complex>();
  source[0] = {static_cast<double>(world.me()), 1.0};
  reduce<ReduceOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, dest.data(), source.data(), 1);
  EXPECT_EQ(dest[0], Complex(world.size() * (world.size() - 1) / 2.0, world.size()));
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(a_reduction_may_be_done_in_place_and_back_to_back, ranks(1)) {
  const auto data = world.allocate<long>(9'000);
  for (const std::size_t count : {4UL, 9'000UL}) {
    for (int round = 0; round < 30; ++round) {
      std::ranges::fill(data, world.me() + round);
      world.barrier();
      reduce<ReduceOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, data.data(), data.data(), count);
      const long expected = world.size() * (world.size() - 1) / 2 + round * world.size();
      ASSERT_TRUE(std::all_of(data.begin(), data.begin() + static_cast<long>(count),
                              [&](long value) { return value == expected; }))
          << round;
    }
  }
  world.barrier();
  world.free(data);
}

// Two teams in turn, no barrier between: the scratch of one must not be overwritten by the other.
RANK_TEST(teams_may_reduce_in_turn_without_a_barrier, ranks(1)) {
  const auto source = world.allocate<int>(3'000);
  const auto dest = world.allocate<int>(3'000);
  std::ranges::fill(source, world.me() + 1);
  const int sum = world.size() * (world.size() + 1) / 2;
  for (int round = 0; round < 50; ++round) {
    shmem_team_t team = round % 3 == 0 ? SHMEM_TEAM_SHARED : SHMEM_TEAM_WORLD;
    reduce<ReduceOp::sum>(world.as("sum"), team, dest.data(), source.data(), 3'000);
    ASSERT_TRUE(std::ranges::all_of(dest, [&](int value) { return value == sum; })) << round;
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(every_rank_gets_the_same_bits_of_a_rounded_sum, ranks(2)) {
  const auto source = world.allocate<double>(1'000);
  const auto dest = world.allocate<double>(1'000);
  std::uniform_real_distribution<double> values(-1e10, 1e-10);
  for (double& value : source) value = values(world.random());
  reduce<ReduceOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, dest.data(), source.data(), 1'000);
  world.barrier();
  std::vector<double> first(1'000);
  get<8>(world.as("get"), first.data(), dest.data(), 1'000, 0);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_TRUE(std::ranges::equal(first, dest, {}, bits, bits));
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(collectives_of_all_kinds_may_follow_one_another, ranks(1)) {
  const auto a = world.allocate<long>(600);
  const auto b = world.allocate<long>(600);
  for (long round = 0; round < 60; ++round) {
    const int root = static_cast<int>(round) % world.size();
    std::ranges::fill(a, world.me() + round);
    broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, b.data(), a.data(), 600, root);
    ASSERT_EQ(b[599], root + round);
    reduce<ReduceOp::max>(world.as("max"), SHMEM_TEAM_WORLD, b.data(), a.data(), 600);
    ASSERT_EQ(b[599], world.size() - 1 + round);
    if (round % 2 == 0) team_sync(world.as("sync"), SHMEM_TEAM_WORLD);
    reduce<ReduceOp::min>(world.as("min"), SHMEM_TEAM_WORLD, b.data(), a.data(), 1);
    ASSERT_EQ(b[0], round);
  }
  world.barrier();
  world.free(a);
  world.free(b);
}

}  // namespace
}  // namespace gondwana::test
