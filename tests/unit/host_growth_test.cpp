// Jobs on several hosts that grow and shrink: where new ranks run, and what the conductor decides.
#include <gtest/gtest.h>

#include "run/command_line/sharing.hpp"
#include "run/remote/host_growth.hpp"
#include "support/job_on_hosts.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

// Ranks 0 and 1 on host a, 2 and 3 on host b.
Job four() {
  Job job;
  job.programs.push_back(
      {.ranks = 4, .words = {"./p"}, .path = {}, .environment = {}, .folder = {}});
  job.hosts = {{"a", 2}, {"b", 2}};
  job.max_ranks = 8;
  return job;
}

Result<GrowthPlan> plan(const Job& job, const MoreWanted& wanted, JobSize size = {4, 2}) {
  return plan_growth(job, share_out(four()).front(), job.programs[0], size, wanted);
}

MoreWanted more(std::uint32_t ranks, std::string hosts = {}) {
  return {.asker = 0, .from = 0, .ranks = ranks, .command = {"/f", {"q"}, std::move(hosts)}};
}

TEST(HostGrowth, new_ranks_are_spread_over_the_hosts_of_the_job) {
  const Result<GrowthPlan> made = plan(four(), more(3));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->session.first, 4U);
  EXPECT_EQ(made->session.ranks, 3U);
  ASSERT_EQ(made->parts.size(), 2U);
  const Share& last = made->parts[1].share;
  EXPECT_EQ(made->hosts[1].name, "b");
  EXPECT_EQ(last.node, 3U);
  EXPECT_EQ(last.nodes, 2U) << "at the start of the job";
  EXPECT_EQ(last.total, 4U);
  EXPECT_EQ(last.first, 6U);
  EXPECT_EQ(last.added_nodes, 2U);
  EXPECT_EQ(last.max_total, 8U);
  EXPECT_EQ(made->parts[1].ranks(), 1U);
  EXPECT_EQ(made->parts[1].programs[0].words, std::vector<std::string>{"q"});
  EXPECT_FALSE(made->parts[0].streams.reader);
}

TEST(HostGrowth, a_single_rank_needs_a_single_host) {
  const Result<GrowthPlan> made = plan(four(), more(1), {5, 3});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->parts.size(), 1U);
  EXPECT_EQ(made->parts[0].share.node, 3U);
  EXPECT_EQ(made->parts[0].share.first, 5U);
  EXPECT_EQ(made->parts[0].share.added_nodes, 2U);
}

TEST(HostGrowth, the_asker_may_name_hosts_and_their_shares) {
  const Result<GrowthPlan> made = plan(four(), more(4, "c:3,d:1"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->hosts[0].name, "c");
  EXPECT_EQ(made->parts[0].ranks(), 3U);
  EXPECT_EQ(made->parts[1].ranks(), 1U);
  const Result<GrowthPlan> even = plan(four(), more(4, "c,d"));
  ASSERT_TRUE(even);
  EXPECT_EQ(even->parts[0].ranks(), 2U);
}

TEST(HostGrowth, no_more_ranks_share_memory_than_may) {
  Job job = four();
  job.max_on_node = 1;
  const Result<GrowthPlan> made = plan(job, more(3, "c:2,d"));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->parts.size(), 3U);
  EXPECT_EQ(made->hosts[1].name, "c");
  EXPECT_EQ(made->parts[2].share.node, 4U);
  EXPECT_EQ(made->parts[2].share.added_nodes, 3U);
}

TEST(HostGrowth, wishes_that_cannot_be_met_are_refused_in_words) {
  const auto refusal = [](const Job& job, const MoreWanted& wanted) {
    const Result<GrowthPlan> made = plan(job, wanted);
    return made ? std::string() : made.error().text;
  };
  EXPECT_NE(refusal(four(), more(5)).find("--max-ranks 8 allows no more than 4"),
            std::string::npos);
  EXPECT_NE(refusal(four(), more(4, "c:2")).find("slots for 2"), std::string::npos);
  EXPECT_NE(refusal(four(), more(1, "-x")).find("cannot begin"), std::string::npos);
  Job small = four();
  small.max_ranks.reset();
  EXPECT_NE(refusal(small, more(1)).find("start it with"), std::string::npos);
  Job given = four();
  for (Host& host : given.hosts) host.way = link::Way::srun;
  EXPECT_NE(refusal(given, more(1, "c")).find("only use the hosts"), std::string::npos);
}

// Three hosts with a rank each, that may have six.
class Growing : public Hosts {
 public:
  explicit Growing(OnDeath on_death = OnDeath::end, std::uint32_t restarts = 0)
      : Hosts(3, 20, {}, on_death, 6, restarts) {
    join_all();
  }
  // A wish of rank 0 for three more; the launchers of their nodes start.
  void begin() {
    say(0, MoreWanted{.asker = 7, .from = 0, .ranks = 3, .command = {}});
    for (std::uint32_t node = 3; node < 6; ++node) start(node);
  }
  void join(std::uint32_t node) {
    say(node, Hello{});
    say(node, ThisNode{"new"});
  }
  std::string refusal() {
    const auto answers = sent<Answer>(0);
    return answers.size() == 1 && answers[0].is_refused ? answers[0].text : "no refusal";
  }
};

TEST(JobGrowth, numbers_are_told_once_all_new_nodes_are_known) {
  Growing hosts;
  hosts.begin();
  ASSERT_EQ(hosts.done<StartHosts>().size(), 1U);
  EXPECT_EQ(hosts.done<StartHosts>()[0].first, 3U);
  hosts.join(3);
  hosts.join(4);
  EXPECT_TRUE(hosts.sent<NodeRows>(1).empty());
  hosts.join(5);
  EXPECT_EQ(hosts.sent<NodeRows>(1).size(), 1U);
  const auto grown = hosts.sent<Grown>(1);
  ASSERT_EQ(grown.size(), 1U);
  EXPECT_EQ(grown[0].ranks, 6U);
  EXPECT_EQ(grown[0].nodes, 6U);
  const auto answers = hosts.sent<Answer>(0);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].asker, 7U);
  EXPECT_EQ(answers[0].first, 3U);
  EXPECT_FALSE(answers[0].is_refused);
  hosts.say(4, Arrived{4});
  EXPECT_EQ(hosts.sent<Arrived>(2).size(), 1U);
}

TEST(JobGrowth, wishes_are_met_one_after_the_other) {
  Growing hosts;
  hosts.say(0, MoreWanted{.asker = 7, .from = 0, .ranks = 1, .command = {}});
  hosts.say(1, MoreWanted{.asker = 8, .from = 1, .ranks = 2, .command = {}});
  hosts.start(3);
  ASSERT_EQ(hosts.done<StartHosts>().size(), 1U);
  hosts.join(3);
  ASSERT_EQ(hosts.done<StartHosts>().size(), 2U);
  EXPECT_EQ(hosts.done<StartHosts>()[1].first, 4U);
  EXPECT_EQ(hosts.done<StartHosts>()[1].plan.session.first, 4U);
}

TEST(JobGrowth, a_new_host_that_fails_is_dropped_and_the_job_goes_on) {
  Growing hosts;
  hosts.begin();
  hosts.join(3);
  hosts.say(4, Hello{});
  hosts.say(4, Stopping{1, "host x: no such program"});
  EXPECT_EQ(hosts.refusal(), "host x: no such program");
  EXPECT_EQ(hosts.done<CloseHost>().size(), 3U);
  ASSERT_EQ(hosts.done<DropHosts>().size(), 1U);
  EXPECT_EQ(hosts.done<DropHosts>()[0].first, 3U);
  EXPECT_TRUE(hosts.sent<End>(0).empty());
  EXPECT_TRUE(hosts.sent<Grown>(0).empty());
  hosts.begin();
  for (std::uint32_t node = 3; node < 6; ++node) hosts.join(node);
  ASSERT_EQ(hosts.sent<Grown>(0).size(), 1U) << "the numbers are free again";
  for (std::uint32_t node = 0; node < 6; ++node) hosts.say(node, Ended{0});
  EXPECT_TRUE(hosts.is().is_over());
}

TEST(JobGrowth, a_new_host_that_cannot_be_reached_is_dropped) {
  Growing hosts;
  hosts.begin();
  hosts.tell(HostProcessEnded{4, exited(255), 3 * second});
  hosts.tell(HostPipeEnded{4, "", 3 * second});
  hosts.pass(0);
  EXPECT_NE(hosts.refusal().find("host e"), std::string::npos);
  EXPECT_TRUE(hosts.sent<End>(0).empty());
}

TEST(JobGrowth, leaves_have_numbers_and_are_told_to_hosts_that_are_added) {
  Growing hosts;
  hosts.begin();
  hosts.say(1, RanksDied{{{1, 0}}, 0, "", DeathKind::leave});
  EXPECT_TRUE(hosts.said().empty());
  EXPECT_EQ(hosts.sent<DeadRanks>(0).size(), 1U);
  EXPECT_TRUE(hosts.sent<DeadRanks>(3).empty());
  hosts.say(3, Hello{});
  const auto told = hosts.sent<DeadRanks>(3);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].ranks.at(0).how, DeathKind::leave);
}

TEST(JobGrowth, a_rank_leaves_once_those_that_joined_with_it_run) {
  Growing hosts;
  hosts.begin();
  for (std::uint32_t node = 3; node < 6; ++node) hosts.join(node);
  hosts.say(3, Arrived{3});
  hosts.say(3, RanksDied{{{3, 0}}, 0, "", DeathKind::leave});
  hosts.say(4, Arrived{4});
  EXPECT_TRUE(hosts.sent<DeadRanks>(0).empty());
  hosts.say(5, Arrived{5});
  EXPECT_EQ(hosts.sent<DeadRanks>(0).size(), 1U);
  hosts.say(4, RanksDied{{{4, 0}}, 0, "", DeathKind::leave});
  EXPECT_EQ(hosts.sent<DeadRanks>(0).size(), 1U);
}

TEST(JobGrowth, a_rank_that_ends_before_it_runs_is_told_to_those_that_wait_for_it) {
  Growing hosts;
  hosts.begin();
  for (std::uint32_t node = 3; node < 6; ++node) hosts.join(node);
  hosts.say(3, RanksDied{{{3, 0}}, 0, "", DeathKind::leave});
  EXPECT_EQ(hosts.sent<DeadRanks>(0).size(), 1U);
}

TEST(JobGrowth, hosts_that_are_added_know_the_ranks_that_were_added_before) {
  Growing hosts;
  hosts.say(0, MoreWanted{.asker = 7, .from = 0, .ranks = 1, .command = {}});
  hosts.start(3);
  hosts.join(3);
  hosts.say(3, Arrived{3});
  hosts.say(0, MoreWanted{.asker = 7, .from = 0, .ranks = 1, .command = {}});
  hosts.start(4);
  EXPECT_TRUE(hosts.sent<Arrived>(4).empty());
  hosts.say(4, Hello{});
  EXPECT_EQ(hosts.sent<Arrived>(4).at(0).rank, 3U);
}

TEST(JobGrowth, a_rank_that_dies_before_it_has_a_number_fails_it) {
  Growing hosts(OnDeath::go_on);
  hosts.begin();
  hosts.join(3);
  hosts.say(3, RanksDied{{{3, 0}}, 137, "rank 3 was killed"});
  EXPECT_EQ(hosts.refusal(), "rank 3 was killed");
  EXPECT_EQ(hosts.done<DropHosts>().size(), 1U);
  EXPECT_TRUE(hosts.sent<DeadRanks>(0).empty());
}

TEST(JobGrowth, a_job_of_which_no_rank_is_left_does_not_grow) {
  Growing hosts(OnDeath::go_on);
  hosts.begin();
  for (std::uint32_t rank = 0; rank < 3; ++rank)
    hosts.say(rank, RanksDied{{{rank, 0}}, 137, "it was killed"});
  EXPECT_EQ(hosts.refusal(), "the job ends");
  EXPECT_EQ(hosts.done<DropHosts>().size(), 1U);
  hosts.say(1, MoreWanted{.asker = 7, .from = 1, .ranks = 1, .command = {}});
  EXPECT_TRUE(hosts.sent<Answer>(1).at(0).is_refused);
}

TEST(JobGrowth, agents_serve_until_it_has_failed) {
  Growing hosts(OnDeath::go_on, 1);
  hosts.begin();
  for (std::uint32_t node = 0; node < 3; ++node) hosts.say(node, RanksEnded{});
  EXPECT_TRUE(hosts.sent<AllEnded>(0).empty());
  hosts.tell(GrowthFailed{"no processes"});
  EXPECT_EQ(hosts.sent<AllEnded>(0).size(), 1U);
}

TEST(JobGrowth, a_world_needs_all_ranks_that_have_a_number) {
  Growing hosts;
  hosts.begin();
  for (std::uint32_t node = 3; node < 6; ++node) hosts.join(node);
  for (std::uint32_t rank = 3; rank < 6; ++rank) hosts.say(rank, Arrived{rank});
  for (std::uint32_t rank = 0; rank < 5; ++rank) hosts.say(rank, WorldEntry{.rank = rank});
  EXPECT_TRUE(hosts.sent<WorldDecision>(0).empty());
  hosts.say(5, RanksDied{{{5, 0}}, 0, "", DeathKind::leave});
  const auto decision = hosts.sent<WorldDecision>(0);
  ASSERT_EQ(decision.size(), 1U);
  EXPECT_EQ(decision[0].size, 6U);
  EXPECT_EQ(decision[0].deaths, 1U);
}

TEST(JobGrowth, ranks_of_any_host_may_be_asked_to_leave) {
  Growing hosts;
  hosts.say(0, LeaveWanted{7, {1, 2}});
  EXPECT_EQ(hosts.sent<Dismissed>(2).size(), 1U);
  EXPECT_EQ(hosts.sent<Answer>(0).at(0).text, "ranks 1, 2 were asked to leave");
  hosts.say(0, LeaveWanted{7, {9}});
  EXPECT_EQ(hosts.refusal(), "rank 9: this job has ranks 0 to 2");
  hosts.say(0, LeaveWanted{7, {0, 1, 2}});
  EXPECT_NE(hosts.refusal().find("no rank would be left"), std::string::npos);
  hosts.say(1, RanksDied{{{1, 0}}, 0, "", DeathKind::leave});
  hosts.say(0, LeaveWanted{7, {1}});
  EXPECT_EQ(hosts.refusal(), "rank 1 has ended");
}

}  // namespace
}  // namespace gondwana::launch
