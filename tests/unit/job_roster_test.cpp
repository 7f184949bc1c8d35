// The processes of the ranks of a job on several hosts.
#include "run/remote/job_roster.hpp"

#include <gtest/gtest.h>

namespace gondwana::launch {
namespace {

using Ranks = std::vector<std::uint32_t>;

TEST(JobRoster, a_dead_process_is_replaced_while_restarts_are_left) {
  JobRoster roster(3, 1);
  EXPECT_TRUE(roster.has({1, 0}));
  EXPECT_EQ(roster.die({1, 0}, true), DeathKind::replaced_death);
  EXPECT_FALSE(roster.has({1, 0}));
  EXPECT_TRUE(roster.has({1, 1}));
  EXPECT_EQ(roster.changes(), 2U);
  EXPECT_EQ(roster.alive(), 3U);
  EXPECT_EQ(roster.die({1, 1}, true), DeathKind::death);
  EXPECT_FALSE(roster.has({1, 1}));
  EXPECT_EQ(roster.changes(), 3U);
  EXPECT_EQ(roster.alive(), 2U);
  EXPECT_EQ(roster.dead(), (Ranks{1}));
  EXPECT_EQ(roster.restarts(), 1U);
}

TEST(JobRoster, a_host_that_cannot_start_a_process_uses_up_no_restart) {
  JobRoster roster(2, 1);
  EXPECT_EQ(roster.die({0, 0}, false), DeathKind::death);
  EXPECT_EQ(roster.restarts_left(), 1U);
}

TEST(JobRoster, ranks_come_later_and_leave) {
  JobRoster roster(2, 1);
  roster.grow(3);
  EXPECT_TRUE(roster.has({2, 0}));
  EXPECT_FALSE(roster.has({3, 0}));
  roster.leave({0, 0});
  EXPECT_TRUE(roster.is_gone(0));
  EXPECT_FALSE(roster.has({0, 0}));
  EXPECT_EQ(roster.alive(), 2U);
  EXPECT_EQ(roster.changes(), 1U);
  EXPECT_TRUE(roster.dead().empty());
}

TEST(JobRoster, processes_that_run_again_are_known_to_hosts_that_come_later) {
  JobRoster roster(3, 9);
  roster.die({2, 0}, true);
  EXPECT_TRUE(roster.replacements().empty());
  roster.run({2, 1}, 7);
  roster.die({2, 1}, true);
  ASSERT_EQ(roster.replacements().size(), 1U);
  EXPECT_EQ(roster.replacements()[0].process, (DeadRank{2, 1}));
  EXPECT_EQ(roster.replacements()[0].node, 7U);
}

TEST(JobRoster, ranks_that_were_added_and_run_are_known_to_hosts_that_come_later) {
  JobRoster roster(2, 0);
  roster.grow(4);
  roster.arrive(3);
  EXPECT_EQ(roster.arrived(), (std::vector<std::uint32_t>{3}));
}

TEST(JobRoster, a_rank_has_as_many_processes_as_messages_can_name) {
  JobRoster roster(1, 10'000);
  std::uint32_t incarnation = 0;
  while (roster.die({0, incarnation}, true) == DeathKind::replaced_death) ++incarnation;
  EXPECT_EQ(incarnation, 2047U);
}

}  // namespace
}  // namespace gondwana::launch
