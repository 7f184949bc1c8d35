// How the conductor decides about shrinks of teams on several hosts.
#include "run/remote/agreements.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gondwana::launch {
namespace {

using Ranks = std::vector<std::uint32_t>;

// A member of the team 5 of ranks 0 to 3 in its turn 9.
ShrinkEntry entry_of(std::uint32_t rank, std::uint32_t deaths = 0, std::uint32_t dead = 0) {
  return {.team = 5,
          .first = 0,
          .turn = 9,
          .size = 4,
          .rank = rank,
          .deaths = deaths,
          .dead = dead,
          .numbers = 0b1110 | 1U << (rank + 4),
          .epoch = 10 + rank};
}

TEST(Agreements, the_last_member_that_enters_decides) {
  Agreements agreements;
  for (const std::uint32_t rank : {2U, 0U, 3U}) EXPECT_FALSE(agreements.enter(entry_of(rank)));
  const auto shrunk = agreements.enter(entry_of(1));
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->ranks, (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(shrunk->decision.turn, 9U);
  EXPECT_EQ(shrunk->decision.deaths, 0U);
  EXPECT_EQ(shrunk->decision.numbers, 0b1110U);  // that all offer
  EXPECT_EQ(shrunk->decision.epoch, 13U);
}

TEST(Agreements, a_member_that_died_is_not_waited_for_once_another_knows_of_it) {
  Agreements agreements;
  for (const std::uint32_t rank : {0U, 1U, 2U}) EXPECT_FALSE(agreements.enter(entry_of(rank)));
  agreements.die(3);
  EXPECT_FALSE(agreements.enter(entry_of(0)));  // knows of no death yet
  const auto shrunk = agreements.enter(entry_of(1, 1, 1));
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->ranks, (Ranks{0, 1, 2}));
  EXPECT_EQ(shrunk->decision.deaths, 1U);
}

TEST(Agreements, a_member_that_died_after_its_entry_is_out) {
  Agreements agreements;
  for (const std::uint32_t rank : {0U, 1U, 2U}) EXPECT_FALSE(agreements.enter(entry_of(rank)));
  agreements.die(2);
  EXPECT_FALSE(agreements.enter(entry_of(0, 1, 1)));  // rank 3 lives and has not entered
  EXPECT_EQ(agreements.enter(entry_of(3, 1, 1))->ranks, (Ranks{0, 1, 3}));
}

TEST(Agreements, deaths_of_other_ranks_count_for_nobody) {
  Agreements agreements;
  agreements.die(8);
  for (const std::uint32_t rank : {0U, 1U, 2U})
    EXPECT_FALSE(agreements.enter(entry_of(rank, 1, 0)));
  EXPECT_EQ(agreements.enter(entry_of(3, 1, 0))->decision.deaths, 1U);
}

TEST(Agreements, nothing_is_decided_twice) {
  Agreements agreements;
  for (const std::uint32_t rank : {0U, 1U, 2U}) EXPECT_FALSE(agreements.enter(entry_of(rank)));
  EXPECT_TRUE(agreements.enter(entry_of(3)));
  agreements.die(3);
  for (const std::uint32_t rank : {0U, 1U, 2U})
    EXPECT_FALSE(agreements.enter(entry_of(rank, 1, 1)));
}

TEST(Agreements, teams_with_one_number_and_other_members_do_not_meet) {
  Agreements agreements;
  for (const std::uint32_t rank : {0U, 1U, 2U}) {
    EXPECT_FALSE(agreements.enter(entry_of(rank)));
    ShrinkEntry other = entry_of(rank + 4);
    other.first = 4;
    EXPECT_FALSE(agreements.enter(other));
  }
  EXPECT_EQ(agreements.enter(entry_of(3))->ranks, (Ranks{0, 1, 2, 3}));
}

}  // namespace
}  // namespace gondwana::launch
