// A job on several hosts that continues after deaths: the decisions of its conductor.
#include <gtest/gtest.h>

#include "support/job_on_hosts.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

class Lasting : public Hosts {
 public:
  explicit Lasting(std::uint32_t hosts, std::uint32_t restarts = 0)
      : Hosts(hosts, 20, {}, OnDeath::go_on, {}, restarts) {
    join_all();
  }
  void die(std::uint32_t rank, std::uint32_t status = 137) {
    say(rank, RanksDied{{{rank, 0}}, status, "rank " + std::to_string(rank) + " was killed"});
  }
  // The host can start another process in its place.
  void die(const DeadRank& process) {
    const std::string text = "rank " + std::to_string(process.rank) + " was killed";
    say(process.rank, RanksDied{{process}, 137, text, DeathKind::replaced_death});
  }
};

using Dead = std::vector<RankDeath>;

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

// With --restart.

TEST(JobOnHosts, dead_ranks_are_started_again_as_often_as_the_user_wants) {
  Lasting hosts(2, 2);
  hosts.die(DeadRank{1, 0});
  hosts.die(DeadRank{0, 0});
  hosts.die(DeadRank{1, 1});
  EXPECT_EQ(hosts.said(),
            "rank 1 was killed; it is started again, restart 1 of 2\n"
            "rank 0 was killed; it is started again, restart 2 of 2\n"
            "rank 1 was killed; no restart is left; the job continues with 1 rank\n");
  for (std::uint32_t node = 0; node < 2; ++node) {
    const auto told = hosts.sent<DeadRanks>(node);
    ASSERT_EQ(told.size(), 3U);
    EXPECT_EQ(told[0].ranks, (Dead{{{1, 0}, DeathKind::replaced_death}}));
    EXPECT_EQ(told[1].first, 3U) << "after a death and a start";
    EXPECT_EQ(told[2].first, 5U);
    EXPECT_EQ(told[2].ranks, (Dead{{{1, 1}, DeathKind::death}}));
  }
  EXPECT_EQ(hosts.is().describe_dead(),
            "1 of 2 ranks died, and the job continued: rank 1; ranks were started again 2 times");
}

TEST(JobOnHosts, all_hosts_are_told_when_the_new_process_runs) {
  Lasting hosts(3, 1);
  hosts.die(DeadRank{1, 0});
  hosts.say(1, RankRuns{{1, 1}});
  EXPECT_EQ(hosts.sent<RankRuns>(0).at(0).process, (DeadRank{1, 1}));
  EXPECT_EQ(hosts.sent<RankRuns>(2).size(), 1U);
  hosts.say(1, RankRuns{{1, 2}});
  EXPECT_NE(hosts.said().find("host b sent an unexpected message\n"), std::string::npos);
}

TEST(JobOnHosts, a_process_that_cannot_be_started_again_is_dead) {
  Lasting hosts(2, 5);
  hosts.die(DeadRank{1, 0});
  hosts.say(1, RanksDied{{{1, 1}}, 1, "rank 1 cannot be started again"});
  EXPECT_EQ(hosts.sent<DeadRanks>(0).back().ranks, (Dead{{{1, 1}, DeathKind::death}}));
  hosts.say(1, RanksDied{{{1, 1}}, 1, "again"});
  EXPECT_TRUE(hosts.sent<DeadRanks>(0).empty());
  EXPECT_FALSE(hosts.is().outcome().status);
}

// Nodes that take the place of lost ones.

void cut(Lasting& hosts, std::uint32_t node) {
  hosts.tell(HostProcessEnded{node, SIGKILL, 3 * second});
  hosts.tell(HostPipeEnded{node, "", 3 * second});
  hosts.pass(0);
}

TEST(JobOnHosts, another_node_takes_the_place_of_a_lost_one) {
  Lasting hosts(2, 5);
  hosts.die(DeadRank{1, 0});
  cut(hosts, 1);
  EXPECT_NE(hosts.said().find("; it is started again, restart 2 of 5\n"), std::string::npos);
  const DeadRanks told = hosts.sent<DeadRanks>(0).back();
  EXPECT_EQ(told.ranks, (Dead{{{1, 1}, DeathKind::replaced_death}}));
  EXPECT_EQ(told.lost_node, 1U);
  const auto started = hosts.done<StartHosts>();
  ASSERT_EQ(started.size(), 1U);
  EXPECT_EQ(started[0].first, 2U);
  EXPECT_EQ(started[0].plan.hosts.at(0).name, "b");
  const Share& share = started[0].plan.parts.at(0).share;
  EXPECT_EQ(share.node, 2U);
  EXPECT_EQ(share.first, 1U);
  EXPECT_EQ(share.incarnations, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(share.past_changes, 4U);
  hosts.take_all();

  hosts.start(2);
  hosts.say(2, Hello{});
  EXPECT_EQ(hosts.sent<DeadRanks>(2).size(), 2U) << "it learns the past first";
  hosts.say(2, ThisNode{"2"});
  EXPECT_EQ(hosts.sent<Grown>(0).at(0).nodes, 3U);
  hosts.say(2, RankRuns{{1, 2}, 2});
  EXPECT_EQ(hosts.sent<RankRuns>(0).at(0).node, 2U);
  EXPECT_FALSE(hosts.is().outcome().status);
}

TEST(JobOnHosts, no_node_takes_the_place_of_a_lost_one_before_all_nodes_are_known) {
  for (const bool are_known : {false, true}) {
    Lasting hosts(2, 5);
    hosts.start(1);  // again: its address is unknown
    hosts.say(1, Hello{});
    if (are_known) hosts.say(1, ThisNode{"1"});
    cut(hosts, 1);
    EXPECT_EQ(hosts.done<StartHosts>().size(), are_known ? 1U : 0U) << hosts.said();
    const bool says_why =
        hosts.said().find("a rank has not returned from shmem_init") != std::string::npos;
    EXPECT_EQ(says_why, !are_known);
  }
}

TEST(JobOnHosts, a_lost_host_has_no_say_any_more) {
  Lasting hosts(2, 5);
  hosts.say(1, RanksDied{{{1, 0}}, 1, "the node agent was killed", DeathKind::death, true});
  EXPECT_EQ(hosts.sent<DeadRanks>(0).at(0).lost_node, 1U);
  hosts.take_all();
  hosts.say(1, RanksDied{{{1, 1}}, 1, "late"});
  hosts.say(1, Stopping{1, "late"});
  hosts.say(1, WorldEntry{1, 0, 1, 1});
  cut(hosts, 1);
  EXPECT_EQ(hosts.said(), "");
  EXPECT_TRUE(hosts.sent<DeadRanks>(0).empty());
  EXPECT_FALSE(hosts.is().outcome().status);
}

TEST(JobOnHosts, other_hosts_are_tried_if_a_lost_one_cannot_be_used) {
  Lasting hosts(2, 5);
  cut(hosts, 1);
  hosts.tell(GrowthFailed{"host b is gone"});
  ASSERT_EQ(hosts.done<StartHosts>().size(), 2U);
  EXPECT_EQ(hosts.done<StartHosts>()[1].plan.hosts.at(0).name, "a");
  hosts.sent<DeadRanks>(0);
  hosts.tell(GrowthFailed{"host a is full"});
  EXPECT_EQ(hosts.done<StartHosts>().size(), 2U);
  EXPECT_EQ(hosts.sent<DeadRanks>(0).at(0).ranks, (Dead{{{1, 1}, DeathKind::death}}));
  EXPECT_NE(hosts.said().find("host a is full; the job continues with 1 rank\n"),
            std::string::npos);
}

TEST(JobOnHosts, a_rank_that_dies_while_its_new_node_starts_is_started_again) {
  Lasting hosts(2, 2);
  cut(hosts, 1);
  for (const std::string name : {"b", "a"}) {
    EXPECT_EQ(hosts.done<StartHosts>().back().plan.hosts.at(0).name, name);
    hosts.start(2);
    hosts.say(2, Hello{});
    hosts.say(2, Ended{137});
  }
  EXPECT_NE(hosts.said().find("host c has ended before it joined the job; it is started again, "
                              "restart 2 of 2\n"),
            std::string::npos)
      << hosts.said();
  EXPECT_EQ(hosts.done<StartHosts>().back().plan.parts.at(0).share.incarnations,
            (std::vector<std::uint32_t>{2}));
  hosts.tell(GrowthFailed{"no processes"});
  hosts.tell(GrowthFailed{"no processes"});
  EXPECT_NE(hosts.said().find("no processes; no restart is left; the job continues with 1 rank\n"),
            std::string::npos);
}

TEST(JobOnHosts, the_reason_is_told_why_a_new_node_could_not_join) {
  Lasting hosts(2, 5);
  cut(hosts, 1);
  for (std::uint32_t host = 0; host < 2; ++host) {
    hosts.start(2);
    hosts.say(2, Hello{});
    hosts.say(2, RanksDied{{{1, 1}}, 1, "the node agent was killed", DeathKind::death, true});
  }
  EXPECT_NE(hosts.said().find("the node agent was killed; it is started again, restart 2 of 5\n"),
            std::string::npos)
      << hosts.said();
}

TEST(JobOnHosts, no_node_is_replaced_once_the_user_has_asked_for_the_end) {
  Lasting hosts(2, 5);
  hosts.tell(SignalCame{SIGTERM});
  cut(hosts, 1);
  EXPECT_TRUE(hosts.done<StartHosts>().empty());
  EXPECT_EQ(hosts.said(), "the connection to host b is lost, ssh was killed by SIGKILL\n");
  EXPECT_EQ(hosts.is().describe_dead(), "1 of 2 ranks died: rank 1");
}

TEST(JobOnHosts, a_node_that_is_started_meanwhile_is_dropped) {
  Lasting hosts(2, 5);
  cut(hosts, 1);
  hosts.start(2);
  hosts.take_all();
  hosts.tell(SignalCame{SIGTERM});
  EXPECT_EQ(hosts.done<DropHosts>().size(), 1U);
  EXPECT_EQ(hosts.sent<DeadRanks>(0).at(0).ranks, (Dead{{{1, 1}, DeathKind::death}}));
  EXPECT_EQ(hosts.said(), "");
  EXPECT_TRUE(hosts.done<StartHosts>().empty());
  hosts.say(0, Ended{0});
  EXPECT_TRUE(hosts.is().is_over());
}

TEST(JobOnHosts, the_end_that_the_user_wants_has_its_status_if_all_nodes_are_lost) {
  Lasting hosts(2, 5);
  cut(hosts, 1);
  hosts.start(2);
  cut(hosts, 0);
  hosts.tell(SignalCame{SIGTERM});
  EXPECT_TRUE(hosts.is().is_over());
  EXPECT_EQ(hosts.is().outcome().status, 143);
}

TEST(JobOnHosts, a_silent_host_is_tried_last) {
  Lasting hosts(2, 5);
  hosts.pass(19 * second);
  hosts.hear(0);
  hosts.pass(second);
  ASSERT_EQ(hosts.done<StartHosts>().size(), 1U);
  EXPECT_EQ(hosts.done<StartHosts>()[0].plan.hosts.at(0).name, "a");
}

TEST(JobOnHosts, the_agents_serve_while_a_node_is_started) {
  for (const bool ended_before : {false, true}) {
    Lasting hosts(2, 5);
    if (ended_before) hosts.say(0, RanksEnded{});
    cut(hosts, 1);
    if (!ended_before) hosts.say(0, RanksEnded{});
    EXPECT_TRUE(hosts.sent<AllEnded>(0).empty());
    hosts.tell(GrowthFailed{"b"});
    hosts.tell(GrowthFailed{"a"});
    EXPECT_EQ(hosts.sent<AllEnded>(0).size(), 1U);
  }
}

TEST(JobOnHosts, hosts_are_released_when_none_has_a_rank) {
  Lasting hosts(3, 1);
  hosts.say(0, RanksEnded{});
  hosts.say(1, RanksEnded{});
  EXPECT_TRUE(hosts.sent<AllEnded>(0).empty());
  hosts.say(2, Ended{0});
  EXPECT_EQ(hosts.sent<AllEnded>(0).size(), 1U);
  EXPECT_EQ(hosts.sent<AllEnded>(1).size(), 1U);
  EXPECT_TRUE(hosts.sent<AllEnded>(2).empty());
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
