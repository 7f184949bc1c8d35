#include "memory/roster_log.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gondwana::test {
namespace {

class Log : public testing::Test {
 protected:
  void add(std::uint32_t rank, RosterChange change) { log_.write(++count_, Rank(rank), change); }

  std::array<RosterEntry, 8> entries_{};
  RosterLog log_{entries_};
  std::uint32_t count_ = 0;
};

TEST_F(Log, a_rank_lives_until_its_death_and_from_its_start_on) {
  add(1, RosterChange::death);
  add(2, RosterChange::death);
  add(2, RosterChange::start);
  add(2, RosterChange::death);
  EXPECT_TRUE(log_.lives(Rank(0), count_));
  EXPECT_FALSE(log_.lives(Rank(1), count_));
  EXPECT_FALSE(log_.lives(Rank(2), count_));
}

TEST_F(Log, later_entries_do_not_change_who_lived_after_earlier_ones) {
  add(2, RosterChange::death);
  add(2, RosterChange::start);
  add(2, RosterChange::death);
  EXPECT_TRUE(log_.lives(Rank(2), 0));
  EXPECT_FALSE(log_.lives(Rank(2), 1));
  EXPECT_TRUE(log_.lives(Rank(2), 2));
  EXPECT_FALSE(log_.lives(Rank(2), 3));
  EXPECT_EQ(log_.starts(Rank(2), 1), 0);
  EXPECT_EQ(log_.starts(Rank(2), 3), 1);
  EXPECT_EQ(log_.starts(Rank(1), 3), 0);
}

TEST_F(Log, a_member_of_a_team_dies_by_the_first_death_after_the_team_was_made) {
  add(2, RosterChange::death);
  add(2, RosterChange::start);
  add(1, RosterChange::death);
  add(2, RosterChange::death);
  EXPECT_EQ(log_.first_death(Rank(2), 0, count_), 1);
  EXPECT_EQ(log_.first_death(Rank(2), 2, count_), 4);
  EXPECT_EQ(log_.first_death(Rank(2), 2, 3), 0);
  EXPECT_EQ(log_.first_death(Rank(1), 3, count_), 0);
  EXPECT_EQ(log_.first_death(Rank(0), 0, count_), 0);
}

}  // namespace
}  // namespace gondwana::test
