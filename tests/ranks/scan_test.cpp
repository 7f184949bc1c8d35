#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "support/teams.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

template <typename T>
T addend(int rank, std::size_t i) {
  return element<T>((static_cast<std::size_t>(rank) + 1) * (1 + i % 5));
}

// The sum of the first `terms` members.
template <typename T>
T prefix(const Members& members, int terms, std::size_t i) {
  T sum{};
  for (int member = 0; member < terms; ++member)
    sum = combined<CombineOp::sum>(sum,
                                   addend<T>(members.ranks[static_cast<std::size_t>(member)], i));
  return sum;
}

// Scans into another array, and in place.
template <typename T>
void scans(World& world, const Members& members, std::span<T> dest, std::span<T> source,
           std::size_t count, Scan kind) {
  for (const bool in_place : {false, true}) {
    for (std::size_t i = 0; i < count; ++i) source[i] = addend<T>(world.me(), i);
    std::ranges::fill(dest, T{99});
    const std::span<T> result = in_place ? source : dest;
    const T behind = result[count];
    team_sync(world.as("sync"), members.team);  // every dest is ready
    const int status =
        kind == Scan::inclusive
            ? sum_inscan(world.as("inscan"), members.team, result.data(), source.data(), count)
            : sum_exscan(world.as("exscan"), members.team, result.data(), source.data(), count);
    ASSERT_EQ(status, 0);
    const int terms = kind == Scan::inclusive ? members.me + 1 : members.me;
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(result[i], prefix<T>(members, terms, i)) << i << " of " << count;
    ASSERT_EQ(result[count], behind);
    team_sync(world.as("sync"), members.team);
  }
}

template <typename T>
void scans_every_size(World& world) {
  constexpr std::size_t most = 20'000;
  const auto source = world.allocate<T>(most + 1);
  const auto dest = world.allocate<T>(most + 1);
  on_all_teams(world, [&](const Members& members) {
    for (const std::size_t count : {0UL, 1UL, 3UL, 257UL, 2'049UL, most})
      for (const Scan kind : {Scan::inclusive, Scan::exclusive})
        scans<T>(world, members, dest, source, count, kind);
  });
  world.free(source);
  world.free(dest);
}

RANK_TEST(scans_of_integers_are_exact, ranks(1)) {
  scans_every_size<long>(world);
}
RANK_TEST(scans_of_bytes_wrap_around, ranks(1)) {
  scans_every_size<signed char>(world);
}
RANK_TEST(scans_of_numbers_with_a_fraction_are_exact, ranks(1)) {
  scans_every_size<float>(world);
}
RANK_TEST(scans_of_complex_numbers_are_exact, ranks(1)) {
  scans_every_size<std::complex<double>>(world);
}

// No barrier in between: a call must not overwrite the scratch of the one before.
RANK_TEST(scans_and_reductions_may_follow_one_another, ranks(1)) {
  constexpr std::size_t rounds = 90;
  const auto source = world.allocate<long>();
  const auto dest = world.allocate<long>(rounds);
  const long me = world.me();
  const long size = world.size();
  for (std::size_t i = 0; i < rounds; ++i) {
    const long round = static_cast<long>(i);
    source[0] = round + me;
    switch (i % 3) {
      case 0:
        sum_inscan(world.as("inscan"), SHMEM_TEAM_WORLD, &dest[i], source.data(), 1);
        ASSERT_EQ(dest[i], (me + 1) * round + me * (me + 1) / 2) << round;
        break;
      case 1:
        sum_exscan(world.as("exscan"), SHMEM_TEAM_WORLD, &dest[i], source.data(), 1);
        ASSERT_EQ(dest[i], me * round + me * (me - 1) / 2) << round;
        break;
      default:
        reduce<CombineOp::max>(world.as("max"), SHMEM_TEAM_WORLD, &dest[i], source.data(), 1);
        ASSERT_EQ(dest[i], round + size - 1);
    }
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

// Up to rounding: algorithms add in different orders.
RANK_TEST(the_last_prefix_is_the_sum_of_all, ranks(1)) {
  for (const std::size_t count : {100UL, 5'000UL}) {
    const auto source = world.allocate<double>(count);
    const auto prefixes = world.allocate<double>(count);
    const auto sums = world.allocate<double>(count);
    std::uniform_real_distribution<double> values(-1e10, 1e-10);
    for (double& value : source) value = values(world.random());
    sum_inscan(world.as("inscan"), SHMEM_TEAM_WORLD, prefixes.data(), source.data(), count);
    reduce<CombineOp::sum>(world.as("sum"), SHMEM_TEAM_WORLD, sums.data(), source.data(), count);
    const auto nearly_equal = [](double prefix, double sum) {
      return std::abs(prefix - sum) <= 1e-12 * std::abs(sum);
    };
    if (world.me() == world.size() - 1) {
      EXPECT_TRUE(std::ranges::equal(prefixes, sums, nearly_equal));
    }
    world.barrier();
    world.free(source);
    world.free(prefixes);
    world.free(sums);
  }
}

}  // namespace
}  // namespace gondwana::test
