// Teams whose members have any order.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "engine/collectives/collectives.hpp"
#include "operations/combine.hpp"
#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

constexpr CallName call = "test";

using Numbers = std::vector<std::uint32_t>;

Numbers shuffled(std::uint32_t ranks, std::mt19937_64& random) {
  Numbers numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::ranges::shuffle(numbers, random);
  return numbers;
}

// All ranks are in it.
Team& make(World& world, Team& parent, const Numbers& numbers) {
  const Result<Team*> team = world.engine().collectives().split(parent, call, Members::of(numbers));
  GONDWANA_ASSERT(team && *team != nullptr, world.me());
  return **team;
}

RANK_TEST(members_of_a_listed_team_exchange_blocks_in_their_order, ranks(3)) {
  Engine& engine = world.engine();
  Collectives& collectives = engine.collectives();
  const std::uint32_t ranks = engine.ranks();
  const auto source = world.allocate<std::uint32_t>(ranks);
  const auto dest = world.allocate<std::uint32_t>(std::size_t{ranks} * ranks);
  std::mt19937_64 same_for_all(5);
  for (int turn = 0; turn < 5; ++turn) {
    const Numbers numbers = shuffled(ranks, same_for_all);
    Team& team = make(world, engine.teams().world(), numbers);
    ASSERT_EQ(numbers[team.me], static_cast<std::uint32_t>(world.me()));
    for (std::uint32_t i = 0; i < ranks; ++i) source[i] = team.me * 1000 + i;
    ASSERT_TRUE(collectives.barrier(team, call));
    ASSERT_TRUE(
        collectives.alltoall(team, call, dest.data(), source.data(),
                             {.width = sizeof(std::uint32_t), .count = 1, .strides = {1, 1}}));
    for (std::uint32_t i = 0; i < ranks; ++i) ASSERT_EQ(dest[i], i * 1000 + team.me);
    ASSERT_TRUE(collectives.barrier(team, call));
    // Each brings as many as its number says, of that number.
    std::ranges::fill(source, team.me);
    const std::size_t mine = team.me * sizeof(std::uint32_t);
    ASSERT_TRUE(collectives.collect(team, call, dest.data(), source.data(), mine));
    const std::uint32_t* next = dest.data();
    for (std::uint32_t i = 0; i < ranks; ++i)
      for (std::uint32_t j = 0; j < i; ++j) ASSERT_EQ(*next++, i);
    ASSERT_TRUE(collectives.barrier(team, call));
    collectives.destroy(team, call);
  }
  world.free(dest);
  world.free(source);
}

RANK_TEST(a_listed_team_has_teams_of_its_members, ranks(3)) {
  Engine& engine = world.engine();
  const std::uint32_t ranks = engine.ranks();
  std::mt19937_64 same_for_all(6);
  const Numbers numbers = shuffled(ranks, same_for_all);
  Team& team = make(world, engine.teams().world(), numbers);
  Team& falling = make(world, team, [&] {
    Numbers all(ranks);
    std::iota(all.rbegin(), all.rend(), 0);
    return all;
  }());
  for (std::uint32_t i = 0; i < ranks; ++i) {
    EXPECT_EQ(index(falling.rank_of(i)), numbers[ranks - 1 - i]);
    EXPECT_EQ(falling.member_of(Rank(numbers[i])), ranks - 1 - i);
  }
  engine.collectives().sync(falling, call);
  engine.collectives().destroy(falling, call);
  engine.collectives().destroy(team, call);
}

RANK_TEST(a_thousand_listed_teams_exist_at_once, ranks(8)) {
  Engine& engine = world.engine();
  const auto value = world.allocate<std::uint64_t>(1);
  const auto sum = world.allocate<std::uint64_t>(1);
  std::mt19937_64 same_for_all(7);
  std::vector<Team*> teams(1000);
  for (Team*& team : teams)
    team = &make(world, engine.teams().world(), shuffled(engine.ranks(), same_for_all));
  const std::uint64_t expected = engine.ranks() * (engine.ranks() + 1) / 2;
  for (Team* team : teams) {
    value[0] = team->me + 1;
    ASSERT_TRUE(engine.collectives().reduce(*team, call, sum.data(), value.data(), 1,
                                            element_type<CombineOp::sum, std::uint64_t>));
    ASSERT_EQ(sum[0], expected);
  }
  for (Team* team : teams) engine.collectives().destroy(*team, call);
  world.barrier();
  world.free(sum);
  world.free(value);
}

}  // namespace
}  // namespace gondwana::test
