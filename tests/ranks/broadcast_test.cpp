#include <algorithm>
#include <vector>

#include "support/teams.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

// Element i of rank `rank` in `round`: different for each.
long element_of(int rank, int round, std::size_t i) {
  return rank * 1'000'003L + round * 101L + static_cast<long>(i);
}

RANK_TEST(broadcast_copies_from_every_root_in_every_size_on_every_team, ranks(1)) {
  constexpr std::size_t most = 40'000;
  const auto source = world.allocate<long>(most);
  const auto dest = world.allocate<long>(most);
  on_all_teams(world, [&](const Members& members) {
    for (const std::size_t count : {0UL, 1UL, 100UL, 1'025UL, most - 1}) {
      for (int root = 0; root < members.size(); ++root) {
        for (std::size_t i = 0; i < count; ++i) source[i] = element_of(world.me(), root, i);
        std::ranges::fill(dest, -1);
        team_sync(world.as("sync"), members.team);  // every dest is ready
        ASSERT_EQ(broadcast<8>(world.as("broadcast"), members.team, dest.data(), source.data(),
                               count, root),
                  0);
        const int rank = members.ranks[static_cast<std::size_t>(root)];
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(dest[i], element_of(rank, root, i)) << i;
        ASSERT_EQ(dest[count], -1);
        team_sync(world.as("sync"), members.team);
      }
    }
  });
  world.free(source);
  world.free(dest);
}

// The dests are ready for all rounds from the start, so no synchronization is needed.
void the_root_reuses_its_source(World& world, std::size_t count, bool turns) {
  constexpr std::size_t rounds = 40;
  const auto source = world.allocate<long>(count);
  const auto dest = world.allocate<long>(count * rounds);
  for (std::size_t round = 0; round < rounds; ++round) {
    const int root = turns ? static_cast<int>(round) % world.size() : 0;
    if (world.me() == root) std::ranges::fill(source, static_cast<long>(round) + 1);
    const auto here = dest.subspan(round * count, count);
    broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, here.data(), source.data(), count, root);
    ASSERT_TRUE(std::ranges::all_of(here, [&](long value) {
      return value == static_cast<long>(round) + 1;
    })) << round;
  }
  world.barrier();
  world.free(source);
  world.free(dest);
}

RANK_TEST(the_root_may_reuse_its_source_after_a_small_broadcast, ranks(1)) {
  the_root_reuses_its_source(world, 20, false);
}
RANK_TEST(the_root_may_reuse_its_source_after_a_large_broadcast, ranks(1)) {
  the_root_reuses_its_source(world, 5'000, false);
}
RANK_TEST(small_broadcasts_from_changing_roots_may_follow_one_another, ranks(1)) {
  the_root_reuses_its_source(world, 20, true);
}
RANK_TEST(large_broadcasts_from_changing_roots_may_follow_one_another, ranks(1)) {
  the_root_reuses_its_source(world, 5'000, true);
}

RANK_TEST(broadcast_from_an_array_to_itself_leaves_the_root_alone, ranks(1)) {
  for (const std::size_t count : {3UL, 9'000UL}) {
    const auto data = world.allocate<int>(count);
    std::ranges::fill(data, world.me() + 7);
    world.barrier();
    broadcast<4>(world.as("broadcast"), SHMEM_TEAM_WORLD, data.data(), data.data(), count, 0);
    EXPECT_TRUE(std::ranges::all_of(data, [](int value) { return value == 7; }));
    world.barrier();
    world.free(data);
  }
}

RANK_TEST(a_root_outside_the_team_is_refused, ranks(1)) {
  const auto cell = world.allocate<long>();
  EXPECT_THROW(broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, cell.data(), cell.data(), 1,
                            world.size()),
               GaveUp);
  EXPECT_THROW(
      broadcast<8>(world.as("broadcast"), SHMEM_TEAM_WORLD, cell.data(), cell.data(), 1, -1),
      GaveUp);
  EXPECT_THROW(
      broadcast<8>(world.as("broadcast"), SHMEM_TEAM_INVALID, cell.data(), cell.data(), 1, 0),
      GaveUp);
  world.barrier();
  world.free(cell);
}

}  // namespace
}  // namespace gondwana::test
