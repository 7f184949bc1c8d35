#include <algorithm>
#include <array>
#include <vector>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

shmem_team_t split(World& world, shmem_team_t parent, int start, int stride, int size) {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  EXPECT_EQ(team_split_strided(world.as("split"), parent, start, stride, size, nullptr, 0, &team),
            0);
  return team;
}

// Sums the world ranks of the members, to check the membership.
long sum_of_members(World& world, shmem_team_t team, std::span<long> cells) {
  cells[0] = world.me();
  team_sync(world.as("sync"), team);
  reduce<CombineOp::sum>(world.as("sum"), team, &cells[1], cells.data(), 1);
  team_sync(world.as("sync"), team);
  return cells[1];
}

RANK_TEST(the_world_holds_everybody_and_the_shared_team_those_of_the_node, ranks(1)) {
  EXPECT_EQ(team_my_pe(world.as("my_pe"), SHMEM_TEAM_WORLD), world.me());
  EXPECT_EQ(team_n_pes(world.as("n_pes"), SHMEM_TEAM_WORLD), world.size());
  const NodeRanks here = world.engine().memory().roster().here();
  EXPECT_EQ(team_my_pe(world.as("my_pe"), SHMEM_TEAM_SHARED),
            static_cast<int>(here.slot_of(world.engine().rank())));
  EXPECT_EQ(team_n_pes(world.as("n_pes"), SHMEM_TEAM_SHARED), static_cast<int>(here.size()));
  EXPECT_EQ(team_my_pe(world.as("my_pe"), SHMEM_TEAM_INVALID), -1);
  EXPECT_EQ(team_n_pes(world.as("n_pes"), SHMEM_TEAM_INVALID), -1);
}

RANK_TEST(a_strided_split_takes_every_second_rank, ranks(1)) {
  const auto cells = world.allocate<long>(2);
  const int size = (world.size() + 1) / 2;
  const shmem_team_t even = split(world, SHMEM_TEAM_WORLD, 0, 2, size);
  if (world.me() % 2 == 0) {
    ASSERT_NE(even, SHMEM_TEAM_INVALID);
    EXPECT_EQ(team_my_pe(world.as("my_pe"), even), world.me() / 2);
    EXPECT_EQ(team_n_pes(world.as("n_pes"), even), size);
    EXPECT_EQ(sum_of_members(world, even, cells), long{size} * (size - 1));
    team_destroy(world.as("destroy"), even);
  } else {
    EXPECT_EQ(even, SHMEM_TEAM_INVALID);
  }
  world.barrier();
  world.free(cells);
}

RANK_TEST(a_negative_stride_turns_the_order_around, ranks(1)) {
  const int last = world.size() - 1;
  const shmem_team_t reversed = split(world, SHMEM_TEAM_WORLD, last, -1, world.size());
  EXPECT_EQ(team_my_pe(world.as("my_pe"), reversed), last - world.me());
  EXPECT_EQ(team_translate_pe(world.as("translate"), reversed, 0, SHMEM_TEAM_WORLD), last);
  const shmem_team_t again = split(world, reversed, last, -1, world.size());
  EXPECT_EQ(team_my_pe(world.as("my_pe"), again), world.me());
  team_destroy(world.as("destroy"), again);
  team_destroy(world.as("destroy"), reversed);
}

RANK_TEST(a_stride_of_zero_makes_a_team_of_one, ranks(1)) {
  const int chosen = world.size() / 2;
  const shmem_team_t alone = split(world, SHMEM_TEAM_WORLD, chosen, 0, 1);
  EXPECT_EQ(alone != SHMEM_TEAM_INVALID, world.me() == chosen);
  if (world.me() != chosen) return;
  EXPECT_EQ(team_n_pes(world.as("n_pes"), alone), 1);
  EXPECT_EQ(team_my_pe(world.as("my_pe"), alone), 0);
  EXPECT_EQ(team_translate_pe(world.as("translate"), SHMEM_TEAM_WORLD, chosen, alone), 0);
  team_destroy(world.as("destroy"), alone);
}

struct Triplet {
  int start;
  int stride;
  int size;
};

RANK_TEST(triplets_that_leave_the_parent_are_refused_on_every_rank, ranks(1)) {
  const int n = world.size();
  for (const auto [start, stride, size] :
       {Triplet{0, 1, n + 1}, Triplet{-1, 1, 1}, Triplet{n, 1, 1}, Triplet{0, 0, 2},
        Triplet{0, 1, 0}, Triplet{0, -1, 2}, Triplet{0, 1 << 30, 1 << 30}}) {
    shmem_team_t team = SHMEM_TEAM_WORLD;
    EXPECT_NE(team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, start, stride, size, nullptr,
                                 0, &team),
              0);
    EXPECT_EQ(team, SHMEM_TEAM_INVALID);
  }
  shmem_team_t team = SHMEM_TEAM_WORLD;
  EXPECT_NE(team_split_strided(world.as("split"), SHMEM_TEAM_INVALID, 0, 1, 1, nullptr, 0, &team),
            0);
  EXPECT_EQ(team, SHMEM_TEAM_INVALID);
}

RANK_TEST(numbers_are_translated_between_teams, ranks(2)) {
  const shmem_team_t odd = split(world, SHMEM_TEAM_WORLD, 1, 2, world.size() / 2);
  const auto translate = [&](shmem_team_t from, int pe, shmem_team_t to) {
    return team_translate_pe(world.as("translate"), from, pe, to);
  };
  if (odd != SHMEM_TEAM_INVALID) {
    EXPECT_EQ(translate(odd, 0, SHMEM_TEAM_WORLD), 1);
    EXPECT_EQ(translate(SHMEM_TEAM_WORLD, 1, odd), 0);
    EXPECT_EQ(translate(SHMEM_TEAM_WORLD, 0, odd), -1);
    EXPECT_EQ(translate(odd, world.size() / 2, SHMEM_TEAM_WORLD), -1);
    EXPECT_EQ(translate(odd, -1, SHMEM_TEAM_WORLD), -1);
    team_destroy(world.as("destroy"), odd);
  }
  EXPECT_EQ(translate(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD), -1);
  EXPECT_EQ(translate(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID), -1);
}

RANK_TEST(a_split_in_two_dimensions_gives_rows_and_columns, ranks(1)) {
  const auto cells = world.allocate<long>(2);
  for (int width = 1; width <= world.size() + 1; ++width) {
    shmem_team_t row = SHMEM_TEAM_INVALID;
    shmem_team_t column = SHMEM_TEAM_INVALID;
    ASSERT_EQ(team_split_2d(world.as("split"), SHMEM_TEAM_WORLD, width, nullptr, 0, &row, nullptr,
                            0, &column),
              0);
    EXPECT_EQ(team_my_pe(world.as("my_pe"), row), world.me() % width);
    EXPECT_EQ(team_my_pe(world.as("my_pe"), column), world.me() / width);
    long in_row = 0;
    long in_column = 0;
    for (int pe = 0; pe < world.size(); ++pe) {
      if (pe / width == world.me() / width) in_row += pe;
      if (pe % width == world.me() % width) in_column += pe;
    }
    EXPECT_EQ(sum_of_members(world, row, cells), in_row);
    EXPECT_EQ(sum_of_members(world, column, cells), in_column);
    team_destroy(world.as("destroy"), column);
    team_destroy(world.as("destroy"), row);
  }
  world.barrier();
  world.free(cells);
}

RANK_TEST(the_configuration_of_a_team_is_kept, ranks(1)) {
  const shmem_team_config_t asked{.num_contexts = 3};
  shmem_team_t team = SHMEM_TEAM_INVALID;
  ASSERT_EQ(team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, world.size(), &asked,
                               SHMEM_TEAM_NUM_CONTEXTS, &team),
            0);
  shmem_team_config_t kept{.num_contexts = -1};
  EXPECT_EQ(team_get_config(world.as("config"), team, 0, nullptr), 0);
  EXPECT_EQ(team_get_config(world.as("config"), team, SHMEM_TEAM_NUM_CONTEXTS, &kept), 0);
  EXPECT_EQ(kept.num_contexts, 3);
  EXPECT_NE(team_get_config(world.as("config"), SHMEM_TEAM_INVALID, 0, &kept), 0);
  team_destroy(world.as("destroy"), team);
}

RANK_TEST(team_ptr_is_the_pointer_to_the_members_copy, ranks(1)) {
  const auto cell = world.allocate<long>();
  const int last = world.size() - 1;
  const shmem_team_t reversed = split(world, SHMEM_TEAM_WORLD, last, -1, world.size());
  const auto* through = static_cast<long*>(team_ptr(world.as("ptr"), reversed, cell.data(), 0));
  EXPECT_EQ(through,
            world.engine().rma().pointer_to(Rank(static_cast<std::uint32_t>(last)), cell.data()));
  EXPECT_EQ(team_ptr(world.as("ptr"), reversed, cell.data(), world.size()), nullptr);
  EXPECT_EQ(team_ptr(world.as("ptr"), SHMEM_TEAM_INVALID, cell.data(), 0), nullptr);
  team_destroy(world.as("destroy"), reversed);
  world.free(cell);
}

// Their members differ, so ranks have different numbers free.
RANK_TEST(a_thousand_teams_exist_at_once_and_then_others, ranks(8)) {
  const auto cells = world.allocate<long>(2);
  for (const int wanted : {1000, 300}) {
    std::vector<std::pair<shmem_team_t, long>> teams;  // with the sum of its members
    for (int i = 0; i < wanted; ++i) {
      const int start = (i + wanted / 300) % world.size();
      const int stride = 1 + i % 3;
      const int size = 1 + (world.size() - 1 - start) / stride;
      const bool member = world.me() >= start && (world.me() - start) % stride == 0;
      const shmem_team_t team = split(world, SHMEM_TEAM_WORLD, start, stride, size);
      ASSERT_EQ(team != SHMEM_TEAM_INVALID, member) << i;
      if (member)
        teams.emplace_back(team, long{size} * start + long{stride} * size * (size - 1) / 2);
    }
    for (const auto [team, sum] : teams) ASSERT_EQ(sum_of_members(world, team, cells), sum);
    for (const auto [team, sum] : teams) team_destroy(world.as("destroy"), team);
  }
  world.barrier();
  world.free(cells);
}

// Takes numbers from the program's teams while it lives.
class TakenNumbers {
 public:
  explicit TakenNumbers(World& world) : teams_(world.engine().teams()) {}
  ~TakenNumbers() {
    for (const std::uint32_t number : taken_) teams_.give_back(number);
  }
  TakenNumbers(const TakenNumbers&) = delete;
  TakenNumbers& operator=(const TakenNumbers&) = delete;

  void take(std::uint32_t number) {
    if (teams_.take(number)) taken_.push_back(number);
  }

 private:
  Teams& teams_;
  std::vector<std::uint32_t> taken_;
};

RANK_TEST(if_one_rank_cannot_be_in_another_team_all_are_told, ranks(1)) {
  const auto cells = world.allocate<long>(2);
  const shmem_team_t before = split(world, SHMEM_TEAM_WORLD, 0, 1, world.size());
  {
    TakenNumbers taken(world);
    if (world.me() == world.size() - 1)
      for (std::uint32_t number = 0; number < NodePlan::max_teams; ++number) taken.take(number);
    shmem_team_t team = SHMEM_TEAM_WORLD;
    EXPECT_NE(team_split_strided(world.as("split"), SHMEM_TEAM_WORLD, 0, 1, world.size(), nullptr,
                                 0, &team),
              0);
    EXPECT_EQ(team, SHMEM_TEAM_INVALID);
    EXPECT_EQ(sum_of_members(world, before, cells), long{world.size()} * (world.size() - 1) / 2);
  }
  const shmem_team_t after = split(world, SHMEM_TEAM_WORLD, 0, 1, world.size());
  EXPECT_NE(after, SHMEM_TEAM_INVALID);
  team_destroy(world.as("destroy"), after);
  team_destroy(world.as("destroy"), before);
  world.free(cells);
}

// Each rank has 64 numbers that are free on no other rank, then some of which one is free on all.
RANK_TEST(ranks_with_different_free_numbers_find_one_that_all_have, ranks(2)) {
  const auto me = static_cast<std::uint32_t>(world.me());
  const auto size = static_cast<std::uint32_t>(world.size());
  constexpr std::uint32_t width = Teams::numbers_of_word;
  const std::uint32_t common = size * width + 40;
  TakenNumbers taken(world);
  for (std::uint32_t number = 0; number < size * width; ++number)
    if (number / width != me) taken.take(number);
  for (std::uint32_t number = size * width; number < (size + 1) * width; ++number)
    if (number != common && number != size * width + me) taken.take(number);
  const shmem_team_t team = split(world, SHMEM_TEAM_WORLD, 0, 1, world.size());
  EXPECT_EQ(find_team(world.engine(), team)->number, common);
  team_destroy(world.as("destroy"), team);
}

RANK_TEST(predefined_teams_cannot_be_destroyed_and_the_invalid_one_may_be, ranks(1)) {
  EXPECT_THROW(team_destroy(world.as("destroy"), SHMEM_TEAM_WORLD), GaveUp);
  EXPECT_THROW(team_destroy(world.as("destroy"), SHMEM_TEAM_SHARED), GaveUp);
  team_destroy(world.as("destroy"), SHMEM_TEAM_INVALID);
}

// New teams reuse the numbers of destroyed teams, with other members, which are at other epochs.
RANK_TEST(teams_come_and_go_with_changing_members, ranks(1)) {
  const auto cells = world.allocate<long>(2);
  std::mt19937_64 same_for_all(world.seed());
  const auto below = [&](int bound) { return static_cast<int>(same_for_all() % bound); };
  for (int round = 0; round < 60; ++round) {
    const int start = below(world.size());
    const int stride = 1 + below(world.size());
    const int size = 1 + below((world.size() - 1 - start) / stride + 1);
    const shmem_team_t team = split(world, SHMEM_TEAM_WORLD, start, stride, size);
    if (team == SHMEM_TEAM_INVALID) continue;
    long expected = 0;
    for (int i = 0; i < size; ++i) expected += start + i * stride;
    for (int use = 0; use <= round % 3; ++use)
      EXPECT_EQ(sum_of_members(world, team, cells), expected) << "seed " << world.seed();
    team_destroy(world.as("destroy"), team);
  }
  world.barrier();
  world.free(cells);
}

}  // namespace
}  // namespace gondwana::test
