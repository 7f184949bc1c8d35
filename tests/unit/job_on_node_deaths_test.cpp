// A job that continues after the death of a rank: the decisions of its guardian.
#include "support/job_on_node.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

TEST(JobOnNode, a_job_continues_after_a_death_if_it_may) {
  Node node(3, 1, {}, OnDeath::go_on);
  node.join_all();
  node.lose(1, SIGKILL);
  EXPECT_EQ(node.said(),
            "rank 1 on host h (pid 101) was killed by SIGKILL (Killed) in shmem_quiet, waiting for "
            "1.0 s; the job continues with 2 ranks\n");
  const auto told = node.take<TellDeath>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].dead.rank, 1U);
  EXPECT_TRUE(node.is().is_idle());
  EXPECT_FALSE(node.decisions().is_there(1));
  node.end(0, exited(0), RankState::finalized);
  node.end(2, exited(0), RankState::finalized);
  EXPECT_FALSE(node.status());
  EXPECT_EQ(node.decisions().describe_dead(), "1 of 3 ranks died, and the job continued: rank 1");
}

TEST(JobOnNode, a_job_that_continues_has_the_status_of_the_ranks_that_live) {
  Node node(4, 1, {}, OnDeath::go_on);
  node.join_all();
  node.lose(3, exited(7));
  node.lose(0, SIGSEGV);
  node.end(1, exited(4), RankState::finalized);
  node.end(2, exited(0), RankState::finalized);
  EXPECT_EQ(node.status(), 4);
  EXPECT_EQ(node.decisions().describe_dead(),
            "2 of 4 ranks died, and the job continued: ranks 0, 3");
}

TEST(JobOnNode, a_job_of_which_all_ranks_died_has_the_status_of_the_first_death) {
  Node node(2, 1, {}, OnDeath::go_on);
  node.join_all();
  node.lose(1, SIGSEGV);
  EXPECT_FALSE(node.status());
  node.lose(0, SIGKILL);
  EXPECT_EQ(node.status(), 128 + SIGSEGV);
  EXPECT_NE(node.said().find("; no rank is left\n"), std::string::npos);
}

TEST(JobOnNode, a_dead_rank_is_started_again_as_often_as_the_user_allows) {
  Node node(2, {.times = 2});
  node.join_all();
  for (std::uint32_t time = 1; time <= 2; ++time) {
    node.lose(1, SIGKILL);
    EXPECT_NE(node.said().find(fmt::format("; it is started again, restart {} of 2\n", time)),
              std::string::npos);
    const auto told = node.take<TellDeath>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].dead, (DeadRank{1, time - 1}));
    EXPECT_EQ(told[0].how, DeathKind::replaced_death);
    ASSERT_EQ(node.take<RestartRank>().size(), 1U);
    EXPECT_FALSE(node.decisions().is_there(1));
    node.tell(RankStarted{1, static_cast<pid_t>(200 + time)});
    EXPECT_TRUE(node.decisions().is_there(1));
    node.tell(RankJoined{1, static_cast<pid_t>(200 + time)});
  }
  node.lose(1, SIGKILL);
  EXPECT_NE(node.said().find("; no restart is left; the job continues with 1 rank\n"),
            std::string::npos);
  EXPECT_EQ(node.take<TellDeath>().at(0).how, DeathKind::death);
  EXPECT_TRUE(node.take<RestartRank>().empty());
  node.end(0, exited(0), RankState::finalized);
  EXPECT_FALSE(node.status());
  EXPECT_EQ(node.decisions().describe_dead(),
            "1 of 2 ranks died, and the job continued: rank 1; ranks were started again 2 times");
}

TEST(JobOnNode, a_job_whose_only_rank_is_started_again_goes_on) {
  Node node(1, {.times = 1});
  node.join_all();
  node.lose(0, SIGKILL);
  node.round();
  EXPECT_TRUE(node.is().is_idle()) << "no process runs, but one is about to be started";
  node.tell(RankStarted{0, 200});
  node.tell(RankJoined{0, 200});
  node.end(0, exited(3), RankState::finalized);
  EXPECT_EQ(node.status(), 3);
  node.round();
  EXPECT_FALSE(node.is().is_idle());
}

TEST(JobOnNode, an_answer_is_for_the_process_that_has_asked) {
  Node node(2, {.times = 2}, 2);
  node.join_all();
  node.take<MoreWanted>();
  const RanksWanted wanted{.asker = 1, .ranks = 1, .command = {}, .path = {}};
  node.tell(wanted);
  node.lose(1, SIGKILL);
  node.tell(DeathsTold{{1, {{{1, 0}, DeathKind::replaced_death}}}, true});
  node.tell(RankStarted{1, 201});
  node.tell(RankJoined{1, 201});
  node.tell(wanted);
  EXPECT_EQ(node.take<MoreWanted>().size(), 2U);
  node.tell(Answer{.asker = 1, .first = 4, .is_refused = false, .text = ""});
  EXPECT_TRUE(node.take<RanksStart>().empty()) << "the process that asked has died";
  node.tell(Answer{.asker = 1, .first = 5, .is_refused = false, .text = ""});
  EXPECT_EQ(node.take<RanksStart>().at(0).first, 5U);
  node.tell(wanted);
  node.tell(Answer{.asker = 1, .first = 0, .is_refused = true, .text = "no"});
  EXPECT_EQ(node.take<RefuseRanks>().at(0).reason, "no");
}

TEST(JobOnNode, a_replacement_that_ends_before_it_runs_has_died) {
  Node node(2, {.times = 1});
  node.join_all();
  node.lose(1, SIGKILL);
  node.tell(RankStarted{1, 201});
  node.take<TellDeath>();
  node.tell(RankEnded{
      1, exited(0), {RankState::absent, "before it joined"}, OomWatch::Finding::nothing, true});
  const auto told = node.take<TellDeath>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].dead, (DeadRank{1, 1})) << "others may wait for it";
  EXPECT_TRUE(node.is().is_idle());
}

TEST(JobOnNode, an_added_rank_that_ends_before_it_runs_has_died) {
  Node node(2, 1, {}, OnDeath::go_on, 4);
  node.join_all();
  node.tell(RanksWanted{.asker = 0, .ranks = 1, .command = {}, .path = {}});
  node.tell(RankStarted{2, 202});
  node.tell(RankEnded{
      2, exited(0), {RankState::absent, "before it joined"}, OomWatch::Finding::nothing, true});
  ASSERT_EQ(node.take<TellDeath>().size(), 1U) << "the rank that has asked for it waits";
  node.round();
  EXPECT_TRUE(node.take<LookAtRanks>().empty()) << "nobody misses it";
  EXPECT_TRUE(node.is().is_idle());
}

TEST(JobOnNode, a_rank_that_cannot_be_started_again_stays_dead) {
  Node node(2, {.times = 5});
  node.join_all();
  node.lose(1, SIGKILL);
  node.take<TellDeath>();
  node.said();
  node.tell(NotRestarted{1, "no processes"});
  EXPECT_EQ(node.said(),
            "rank 1 cannot be started again: no processes; the job continues with 1 rank\n");
  EXPECT_EQ(node.take<TellDeath>().at(0).dead, (DeadRank{1, 1}));
  node.end(0, exited(0), RankState::finalized);
  node.round();
  EXPECT_FALSE(node.status());
  EXPECT_FALSE(node.is().is_idle());
}

TEST(JobOnNode, a_death_ends_a_job_that_cannot_continue) {
  Node node(2, 1, {}, OnDeath::go_on);
  node.join_all();
  node.end(1, SIGSEGV);
  EXPECT_EQ(node.status(), 128 + SIGSEGV);
  const std::string why =
      "; the other rank is ended; the job cannot continue, because a rank has not returned from "
      "shmem_init yet, or uses GASNet-EX or ARMCI\n";
  EXPECT_TRUE(node.said().ends_with(why));
  EXPECT_TRUE(node.take<TellDeath>().empty());
  EXPECT_EQ(node.decisions().describe_dead(), "");
}

// On several hosts the conductor numbers the deaths.

TEST(JobOnNode, a_death_on_one_of_several_hosts_is_told_to_the_conductor) {
  Node node(2, 2, {}, OnDeath::go_on);
  node.join_all();
  node.lose(1, SIGKILL);
  const auto died = node.take<RanksDied>();
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].ranks, (std::vector<DeadRank>{{1, 0}}));
  EXPECT_EQ(died[0].status, 137U);
  EXPECT_EQ(died[0].sentence,
            "rank 1 on host h (pid 101) was killed by SIGKILL (Killed) in shmem_quiet, waiting for "
            "1.0 s");
  EXPECT_TRUE(node.take<TellDeath>().empty());
  EXPECT_TRUE(node.said().empty());
  node.tell(DeathsTold{{1, {{3, 0}, {1, 0}}}, true});
  const auto told = node.take<TellDeath>();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].dead, (DeadRank{3, 0}));
  EXPECT_EQ(told[1].dead, (DeadRank{1, 0}));
  node.end(0, exited(0), RankState::finalized);
  EXPECT_FALSE(node.status());  // the conductor knows whether the status of the dead counts
}

// Rank 1, before the answer of the conductor.
void lose_one_of_several_hosts(Node& node) {
  node.join_all();
  node.lose(1, SIGKILL);
  const auto died = node.take<RanksDied>();
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].how, DeathKind::replaced_death);
  EXPECT_TRUE(node.take<RestartRank>().empty());
}

TEST(JobOnNode, a_rank_is_started_again_when_the_conductor_has_numbered_its_death) {
  Node node(2, RestartWish{.times = 1}, 2);
  lose_one_of_several_hosts(node);
  node.tell(DeathsTold{{1, {{{1, 0}, DeathKind::replaced_death}}}, true});
  EXPECT_EQ(node.take<TellDeath>().at(0).how, DeathKind::replaced_death);
  EXPECT_EQ(node.take<RestartRank>().at(0).rank, 1U);
  node.tell(RankStarted{1, 201});
  node.tell(RankJoined{1, 201});
  node.tell(RankArrived{1});
  EXPECT_EQ(node.take<RankRuns>().at(0).process, (DeadRank{1, 1}));
  node.lose(1, SIGKILL);
  EXPECT_EQ(node.take<RanksDied>().at(0).ranks, (std::vector<DeadRank>{{1, 1}}));
}

TEST(JobOnNode, the_conductor_may_have_no_restart_left) {
  Node node(2, RestartWish{.times = 1}, 2);
  lose_one_of_several_hosts(node);
  node.tell(DeathsTold{{1, {{{1, 0}, DeathKind::death}}}, true});
  EXPECT_TRUE(node.take<RestartRank>().empty());
  node.end(0, exited(0), RankState::finalized);
  node.round();
  EXPECT_EQ(node.take<RanksEnded>().size(), 1U) << "no rank is left here";
  node.round();
  EXPECT_TRUE(node.take<RanksEnded>().empty());
  EXPECT_TRUE(node.take<ReleaseAgent>().empty()) << "others may need it";
  EXPECT_NE(node.due_in(), std::optional<std::uint64_t>(0));
  node.tell(AllEnded{});
  node.round();
  EXPECT_EQ(node.take<ReleaseAgent>().size(), 1U);
}

// A host that takes the place of a lost one is told the earlier deaths first.
TEST(JobOnNode, a_host_whose_ranks_have_not_started_has_not_ended) {
  Node node(2, RestartWish{.times = 1}, 2);
  node.begin_without_ranks();
  node.round();
  EXPECT_TRUE(node.take<RanksEnded>().empty());
  EXPECT_NE(node.due_in(), std::optional<std::uint64_t>(0));
  node.start_all();
  node.end(0, exited(0), RankState::finalized);
  node.end(1, exited(0), RankState::finalized);
  node.round();
  EXPECT_EQ(node.take<RanksEnded>().size(), 1U);
}

TEST(JobOnNode, a_host_whose_ranks_cannot_be_started_ends) {
  Node node(2, RestartWish{.times = 1}, 2);
  node.begin_without_ranks();
  node.tell(Failed{Error{Errc::refused, "no such program"}, 127});
  node.round();
  EXPECT_EQ(node.take<ReleaseAgent>().size(), 1U);
}

TEST(JobOnNode, the_agent_stays_while_a_rank_is_awaited) {
  Node node(1, RestartWish{.times = 1}, 2);
  node.join_all();
  node.lose(0, SIGKILL);
  node.round();
  EXPECT_TRUE(node.take<ReleaseAgent>().empty());
}

TEST(JobOnNode, a_process_that_cannot_be_started_is_reported_to_the_conductor) {
  Node node(2, RestartWish{.times = 1}, 2);
  lose_one_of_several_hosts(node);
  node.tell(DeathsTold{{1, {{{1, 0}, DeathKind::replaced_death}}}, true});
  node.tell(NotRestarted{1, "no memory"});
  const auto died = node.take<RanksDied>();
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].ranks, (std::vector<DeadRank>{{1, 1}}));
  EXPECT_EQ(died[0].how, DeathKind::death);
}

TEST(JobOnNode, a_death_elsewhere_ends_a_job_whose_ranks_here_cannot_continue) {
  Node node(2, 2, {}, OnDeath::go_on);
  node.join_all();
  node.tell(DeathsTold{{1, {{3, 0}}}, false});
  EXPECT_TRUE(node.take<TellDeath>().empty());
  const auto stopping = node.take<Stopping>();
  ASSERT_EQ(stopping.size(), 1U);
  EXPECT_EQ(stopping[0].sentence,
            "rank 3 has died, and the ranks of host h cannot continue without it; all ranks are "
            "ended");
}

TEST(JobOnNode, the_ranks_of_a_host_without_its_agent_are_dead_and_the_job_continues) {
  Node node(2, 2, {}, OnDeath::go_on);
  node.join_all();
  node.lose(0, SIGSEGV);
  EXPECT_EQ(node.take<RanksDied>().size(), 1U);
  node.tell(AgentLost{.pid = 7, .wait_status = SIGKILL, .pause_ns = second});
  node.round(0);
  ASSERT_EQ(node.take<LookAtRanks>().size(), 1U);
  node.tell(RanksSeen{{RankState::running, RankState::running}, true});
  const auto died = node.take<RanksDied>();
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].ranks, (std::vector<DeadRank>{{1, 0}}));
  EXPECT_EQ(died[0].sentence, "the node agent on host h (pid 7) was killed by SIGKILL");
  EXPECT_TRUE(node.take<Stopping>().empty());
  node.round(0, {true, 1, {}});
  EXPECT_EQ(node.signals(), std::vector<int>{SIGKILL});
}

TEST(JobOnNode, a_lost_agent_says_why_the_job_cannot_continue) {
  Node node(2, 2, {}, OnDeath::go_on);
  node.join_all();
  node.tell(AgentLost{.pid = 7, .wait_status = SIGKILL, .pause_ns = second});
  node.round(0);
  node.tell(RanksSeen{{RankState::running, RankState::joined}, false});
  const auto stopping = node.take<Stopping>();
  ASSERT_EQ(stopping.size(), 1U);
  EXPECT_NE(stopping[0].sentence.find("was killed by SIGKILL; all ranks are ended; the job cannot "
                                      "continue, because a rank has not returned"),
            std::string::npos)
      << stopping[0].sentence;
}

}  // namespace
}  // namespace gondwana::launch
