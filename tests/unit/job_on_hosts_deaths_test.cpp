// A job on several hosts that continues after deaths: the decisions of its conductor.
#include <gtest/gtest.h>

#include "support/job_on_hosts.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

class Lasting : public Hosts {
 public:
  explicit Lasting(std::uint32_t hosts) : Hosts(hosts, 20, {}, OnDeath::go_on) { join_all(); }
  void die(std::uint32_t rank, std::uint32_t status = 137) {
    say(rank, RanksDied{{{rank, 0}}, status, "rank " + std::to_string(rank) + " was killed"});
  }
};

using Dead = std::vector<DeadRank>;

TEST(JobOnHosts, deaths_have_one_order_on_all_hosts) {
  Lasting hosts(3);
  hosts.die(2);
  hosts.die(0);
  EXPECT_EQ(hosts.said(),
            "rank 2 was killed; the job continues with 2 ranks\n"
            "rank 0 was killed; the job continues with 1 rank\n");
  for (std::uint32_t node = 0; node < 3; ++node) {
    const auto told = hosts.sent<DeadRanks>(node);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0].first, 1U);
    EXPECT_EQ(told[0].ranks, (Dead{{2, 0}}));
    EXPECT_EQ(told[1].first, 2U);
    EXPECT_EQ(told[1].ranks, (Dead{{0, 0}}));
    EXPECT_TRUE(hosts.sent<End>(node).empty());
  }
  for (std::uint32_t node = 0; node < 3; ++node) hosts.say(node, Ended{0});
  EXPECT_TRUE(hosts.is().is_over());
  EXPECT_FALSE(hosts.is().outcome().status);
  EXPECT_EQ(hosts.is().describe_dead(), "2 of 3 ranks died, and the job continued: ranks 0, 2");
}

TEST(JobOnHosts, the_ranks_of_a_lost_host_are_dead) {
  Lasting hosts(3);
  hosts.tell(HostProcessEnded{1, SIGKILL, 3 * second});
  hosts.tell(HostPipeEnded{1, "", 3 * second});
  hosts.pass(0);
  EXPECT_EQ(hosts.said(),
            "the connection to host b is lost, ssh was killed by SIGKILL; the job continues with 2 "
            "ranks\n");
  EXPECT_EQ(hosts.sent<DeadRanks>(0).at(0).ranks, (Dead{{1, 0}}));
  EXPECT_TRUE(hosts.sent<DeadRanks>(1).empty());
  EXPECT_TRUE(hosts.sent<End>(0).empty());
  EXPECT_TRUE(hosts.is().is_over(1));
  hosts.say(0, Ended{0});
  hosts.say(2, Ended{3});
  EXPECT_EQ(hosts.is().outcome().status, 3);
}

TEST(JobOnHosts, a_silent_host_is_dead_and_the_others_continue) {
  Lasting hosts(2);
  hosts.pass(19 * second);
  hosts.hear(0);
  hosts.pass(second);
  EXPECT_EQ(hosts.said(), "host b was silent for 20 s; the job continues with 1 rank\n");
}

TEST(JobOnHosts, the_first_death_has_the_status_of_a_job_of_which_no_rank_is_left) {
  Lasting hosts(2);
  hosts.die(1, 139);
  EXPECT_FALSE(hosts.is().outcome().status);
  hosts.die(0, 137);
  EXPECT_EQ(hosts.is().outcome().status, 139);
  EXPECT_EQ(
      hosts.said(),
      "rank 1 was killed; the job continues with 1 rank\nrank 0 was killed; no rank is left\n");
}

TEST(JobOnHosts, a_death_of_a_rank_of_another_host_is_no_message) {
  Lasting hosts(2);
  hosts.say(0, RanksDied{{{1, 0}}, 1, "rank 1 was killed"});
  EXPECT_EQ(hosts.said(), "host a sent an unexpected message\n");
}

TEST(JobOnHosts, the_hosts_of_its_members_get_a_new_team) {
  Lasting hosts(3);
  const auto enter = [&](std::uint32_t rank, std::uint32_t deaths) {
    hosts.say(rank, ShrinkEntry{.team = 0,
                                .first = 0,
                                .turn = 1,
                                .size = 3,
                                .rank = rank,
                                .deaths = deaths,
                                .dead = deaths,
                                .numbers = 6});
  };
  enter(0, 0);
  hosts.die(1);
  enter(2, 1);
  const Shrunk shrunk = hosts.sent<Shrunk>(0).at(0);
  EXPECT_EQ(shrunk.decision.deaths, 1U);
  EXPECT_EQ(shrunk.ranks, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(hosts.sent<Shrunk>(2).size(), 1U);
  EXPECT_TRUE(hosts.sent<Shrunk>(1).empty());
}

}  // namespace
}  // namespace gondwana::launch
