#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <vector>

#include "support/teams.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <typename T>
T term(int rank, std::size_t i) {
  return element<T>((static_cast<std::size_t>(rank) + 1) * (1 + i % 5));
}

template <CombineOp Op, typename T>
T expected(const Members& members, std::size_t i) {
  T result = term<T>(members.ranks[0], i);
  for (std::size_t member = 1; member < members.ranks.size(); ++member)
    result = combined<Op>(result, term<T>(members.ranks[member], i));
  return result;
}

template <CombineOp Op, typename T>
void reduces(World& world, const Members& members, std::span<T> dest, std::span<T> source,
             std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) source[i] = term<T>(world.me(), i);
  std::ranges::fill(dest, T{99});
  team_sync(world.as("sync"), members.team);  // every dest is ready
  ASSERT_EQ(reduce<Op>(world.as("reduce"), members.team, dest.data(), source.data(), count), 0);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(dest[i], (expected<Op, T>(members, i))) << i << " of " << count;
  ASSERT_EQ(dest[count], T{99});
  team_sync(world.as("sync"), members.team);
}

template <CombineOp Op, typename T>
void reduces_every_size(World& world, std::size_t most = 5'000) {
  const auto source = world.allocate<T>(most + 1);
  const auto dest = world.allocate<T>(most + 1);
  on_all_teams(world, [&](const Members& members) {
    for (const std::size_t count : {0UL, 1UL, 3UL, 257UL, most})
      reduces<Op, T>(world, members, dest, source, count);
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(sums_of_integers_are_exact, ranks(1)) {
  reduces_every_size<CombineOp::sum, long>(world, 150'000);
}
RANK_TEST(sums_of_bytes_wrap_around, ranks(1)) {
  reduces_every_size<CombineOp::sum, signed char>(world);
}
RANK_TEST(sums_of_doubles_are_exact, ranks(1)) {
  reduces_every_size<CombineOp::sum, double>(world);
}
RANK_TEST(sums_of_complex_numbers_are_exact, ranks(1)) {
  reduces_every_size<CombineOp::sum, std::complex<double>>(world);
}
RANK_TEST(maxima_are_found, ranks(1)) {
  reduces_every_size<CombineOp::max, int>(world);
}
RANK_TEST(minima_are_found, ranks(1)) {
  reduces_every_size<CombineOp::min, float>(world);
}
RANK_TEST(products_wrap_around, ranks(1)) {
  reduces_every_size<CombineOp::prod, short>(world);
}
RANK_TEST(products_of_complex_numbers_are_exact, ranks(1)) {
  reduces_every_size<CombineOp::prod, std::complex<float>>(world);
}
RANK_TEST(products_of_long_doubles_are_exact, ranks(1)) {
  reduces_every_size<CombineOp::prod, long double>(world);
}
RANK_TEST(bits_that_all_have_are_found, ranks(1)) {
  reduces_every_size<CombineOp::bit_and, unsigned>(world);
}
RANK_TEST(bits_that_any_has_are_found, ranks(1)) {
  reduces_every_size<CombineOp::bit_or, unsigned char>(world);
}
RANK_TEST(bits_that_an_odd_number_of_members_have_are_found, ranks(1)) {
  reduces_every_size<CombineOp::bit_xor, std::uint64_t>(world);
}

TEST(Combined, integers_wrap_around_in_sums_and_products) {
  constexpr int most = std::numeric_limits<int>::max();
  EXPECT_EQ((combined<CombineOp::sum, int>(most, 1)), std::numeric_limits<int>::min());
  EXPECT_EQ((combined<CombineOp::prod, int>(most, 2)), -2);
  EXPECT_EQ((combined<CombineOp::prod, unsigned short>(65'535, 65'535)), 1);
  EXPECT_EQ((combined<CombineOp::sum, signed char>(127, 1)), -128);
  EXPECT_EQ((combined<CombineOp::prod, long>(std::numeric_limits<long>::min(), -1)),
            std::numeric_limits<long>::min());
}

TEST(Combined, bits_are_combined_one_by_one) {
  EXPECT_EQ((combined<CombineOp::bit_and, unsigned>(12U, 10U)), 8U);
  EXPECT_EQ((combined<CombineOp::bit_or, unsigned>(12U, 10U)), 14U);
  EXPECT_EQ((combined<CombineOp::bit_xor, unsigned>(12U, 10U)), 6U);
}

RANK_TEST(a_reduction_may_be_done_in_place_and_back_to_back, ranks(1)) {
  const auto data = world.allocate<long>(9'000);
  for (const std::size_t count : {4UL, 9'000UL}) {
    for (int round = 0; round < 30; ++round) {
      std::ranges::fill(data, world.me() + round);
      world.barrier();
      reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, data.data(), data.data(), count);
      const long sum = world.size() * (world.size() - 1) / 2 + round * world.size();
      ASSERT_TRUE(std::all_of(data.begin(), data.begin() + static_cast<long>(count),
                              [&](long value) { return value == sum; }))
          << round;
      world.barrier();
    }
  }
  world.free(data);
}

// Two teams alternate without a barrier: neither may overwrite the scratch of the other.
void reduces_on_teams_in_turn(World& world, std::size_t count) {
  constexpr std::size_t rounds = 50;
  const auto source = world.allocate<int>(count);
  const auto dest = world.allocate<int>(count * rounds);
  std::ranges::fill(source, world.me() + 1);
  const NodeShare& node = world.engine().memory().plan();
  const int here_first = static_cast<int>(node.first);
  const int here_ranks = static_cast<int>(node.ranks);
  const int sum_of_world = world.size() * (world.size() + 1) / 2;
  const int sum_of_node = here_ranks * here_first + here_ranks * (here_ranks + 1) / 2;
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool of_node = round % 3 == 0;
    const int sum = of_node ? sum_of_node : sum_of_world;
    shmem_team_t team = of_node ? SHMEM_TEAM_SHARED : SHMEM_TEAM_WORLD;
    const auto here = dest.subspan(round * count, count);
    reduce<CombineOp::sum>(world.as("sum"), team, here.data(), source.data(), count);
    ASSERT_TRUE(std::ranges::all_of(here, [&](int value) { return value == sum; })) << round;
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(teams_may_reduce_in_turn_without_a_barrier, ranks(1)) {
  reduces_on_teams_in_turn(world, 50);
  reduces_on_teams_in_turn(world, 3'000);
}

// The source may change at once: the call must have copied it.
RANK_TEST(the_source_of_a_reduction_may_be_reused, ranks(1)) {
  constexpr std::size_t rounds = 40;
  for (const std::size_t count : {5UL, 4'000UL}) {
    const auto source = world.allocate<long>(count);
    const auto dest = world.allocate<long>(count * rounds);
    for (std::size_t round = 0; round < rounds; ++round) {
      std::ranges::fill(source, static_cast<long>(round));
      const auto here = dest.subspan(round * count, count);
      reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, here.data(), source.data(), count);
      const long sum = static_cast<long>(round) * world.size();
      ASSERT_TRUE(std::ranges::all_of(here, [&](long value) { return value == sum; })) << round;
    }
    world.barrier();
    world.free(source);
    world.free(dest);
  }
}

RANK_TEST(every_rank_gets_the_same_bits_of_a_rounded_sum, ranks(2)) {
  const auto source = world.allocate<double>(1'000);
  const auto dest = world.allocate<double>(1'000);
  std::uniform_real_distribution<double> values(-1e10, 1e-10);
  for (double& value : source) value = values(world.random());
  reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, dest.data(), source.data(), 1'000);
  world.barrier();
  std::vector<double> first(1'000);
  get<8>(world.as("get"), first.data(), dest.data(), 1'000, 0);
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  EXPECT_TRUE(std::ranges::equal(first, dest, {}, bits, bits));
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(a_reduction_outside_symmetric_memory_is_refused, ranks(1)) {
  const auto cell = world.allocate<long>();
  long own = 0;
  EXPECT_THROW(
      reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, &own, cell.data(), std::size_t{1}),
      GaveUp);
  EXPECT_THROW(reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, cell.data(), cell.data(),
                                      ~std::size_t{0} / 2),
               GaveUp);
  world.barrier();
  world.free(cell);
}

}  // namespace
}  // namespace gondwana::test
