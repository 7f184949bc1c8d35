// The order of deaths in the control memory of a node.
#include "memory/death_list.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

// The second of two nodes with two ranks each.
class Deaths : public testing::Test {
 protected:
  Deaths() {
    const NodeShare share{.ranks = 2, .first = 2, .node = 1, .nodes = 2, .job_ranks = 4};
    auto made = NodeMemory::create(share);
    EXPECT_TRUE(made);
    memory = *std::move(made);
  }
  void die(const DeadRank& dead) const { add_death(memory->header(), 2, dead); }

  std::shared_ptr<NodeMemory> memory;
};

TEST_F(Deaths, ranks_of_all_nodes_have_places_in_one_order) {
  const DeathList list(*memory);
  EXPECT_EQ(list.size(), 0U);
  die({3, 0});
  die({0, 0});
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list.place_of(Rank(3)), 1U);
  EXPECT_EQ(list.place_of(Rank(0)), 2U);
  EXPECT_EQ(list.place_of(Rank(2)), 0U);
  EXPECT_TRUE(list.has(Rank(0)));
  EXPECT_FALSE(list.has(Rank(1)));
}

TEST_F(Deaths, a_process_that_died_is_not_its_successor) {
  const DeathList list(*memory);
  die({1, 4});
  EXPECT_TRUE(list.has(DeadRank{1, 4}));
  EXPECT_TRUE(list.has(DeadRank{1, 3}));
  EXPECT_FALSE(list.has(DeadRank{1, 5}));
  EXPECT_FALSE(list.has(DeadRank{0, 0}));
}

TEST_F(Deaths, a_replacement_on_another_node_runs_once_the_guardian_says_so) {
  const DeathList list(*memory);
  add_death(memory->header(), 2, {0, 0}, DeathKind::replaced_death);
  EXPECT_TRUE(list.has(Rank(0)));
  EXPECT_TRUE(list.awaits(Rank(0)));
  const std::uint32_t before = memory->header().growth.changes;
  add_replacement(memory->header(), 2, {0, 1}, 0);
  EXPECT_FALSE(list.has(Rank(0)));
  EXPECT_FALSE(list.awaits(Rank(0)));
  EXPECT_EQ(list.replacements_of(Rank(0)), 1U);
  EXPECT_NE(memory->header().growth.changes, before);
}

TEST_F(Deaths, a_replacement_has_entered_no_update_even_if_its_rank_was_added) {
  auto made = NodeMemory::create({.ranks = 1, .nodes = 1, .job_ranks = 1, .max_ranks = 2});
  ASSERT_TRUE(made);
  auto* const control = reinterpret_cast<std::byte*>(&(*made)->header());
  auto& turn =
      shared_at<ControlPage>(control, ControlLayout((*made)->plan()).page(1)).world_place.turn;
  turn = 7;
  add_death((*made)->header(), 2, {1, 0}, DeathKind::replaced_death);
  EXPECT_EQ(turn, 0U);
}

TEST_F(Deaths, a_rank_whose_first_process_never_ran_has_joined_once_its_replacement_runs) {
  add_death(memory->header(), 2, {0, 0}, DeathKind::replaced_death);
  EXPECT_EQ(memory->death(Rank(0)).has_joined, 0U);
  add_replacement(memory->header(), 2, {0, 1}, 0);
  EXPECT_EQ(memory->death(Rank(0)).has_joined, 1U);
}

TEST_F(Deaths, a_rank_is_dead_until_its_replacement_runs) {
  const DeathList list(*memory);
  add_death(memory->header(), 2, {2, 0}, DeathKind::replaced_death);
  EXPECT_EQ(list.size(), 2U) << "the death and the start";
  EXPECT_TRUE(list.has(Rank(2)));
  EXPECT_TRUE(list.awaits(Rank(2)));
  EXPECT_EQ(list.replacements_of(Rank(2)), 0U);
  list.begin_to_run(Rank(2));
  EXPECT_FALSE(list.has(Rank(2)));
  EXPECT_FALSE(list.has_any(4));
  EXPECT_TRUE(list.has(DeadRank{2, 0})) << "the process stays dead";
  EXPECT_EQ(list.replacements_of(Rank(2)), 1U);
  EXPECT_EQ(list.first_death(Rank(2), 0), 1U);
  EXPECT_EQ(list.first_death(Rank(2), 2), 0U) << "of a team that was made afterwards";
  die({2, 1});
  EXPECT_TRUE(list.has(Rank(2)));
  EXPECT_EQ(list.first_death(Rank(2), 2), 3U);
}

}  // namespace
}  // namespace gondwana
