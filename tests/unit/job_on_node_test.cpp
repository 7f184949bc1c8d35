// The decisions of a guardian, without a process, a socket or a clock.
#include "support/job_on_node.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

TEST(JobOnNode, a_job_whose_ranks_end_well_ends_in_silence) {
  Node node(2);
  node.join_all();
  node.round();
  EXPECT_FALSE(node.due_in());
  node.end(0, exited(0), RankState::finalized);
  node.end(1, exited(0), RankState::finalized);
  EXPECT_EQ(node.due_in(), 0U);
  node.round(0, {});
  EXPECT_EQ(node.said(), "");
  EXPECT_TRUE(node.signals().empty());
  EXPECT_TRUE(node.is().ending().is_over());
  EXPECT_FALSE(node.status());
}

TEST(JobOnNode, orphans_of_ranks_are_asked_to_end_and_then_killed) {
  Node node(1);
  node.end(0, exited(0), RankState::absent);
  node.round();
  EXPECT_EQ(node.signals(), (std::vector{SIGTERM, SIGCONT}));
  node.round(1999 * ms);
  EXPECT_TRUE(node.signals().empty());
  node.round(1 * ms);
  EXPECT_EQ(node.signals(), std::vector{SIGKILL});
  node.round(10 * ms, {});
  EXPECT_EQ(node.is().ending().state(), Ending::State::gone);
}

TEST(JobOnNode, the_first_death_gives_status_and_sentence) {
  Node node(3);
  node.join_all();
  node.end(1, SIGSEGV);
  node.end(0, exited(7));
  node.end(2, SIGTERM);
  EXPECT_EQ(node.status(), 128 + SIGSEGV);
  EXPECT_EQ(node.said(),
            "rank 1 on host h (pid 101) was killed by SIGSEGV (Segmentation fault) in "
            "shmem_quiet, waiting for 1.0 s; the other 2 ranks are ended\n");
  EXPECT_EQ(node.take<Report>(), std::vector{Report::waiting});
  node.round();
  EXPECT_EQ(node.signals(), (std::vector{SIGTERM, SIGCONT}));
}

TEST(JobOnNode, the_process_that_started_a_dead_program_may_live_on) {
  Node node(2, 1, {}, OnDeath::go_on);
  node.tell(RankJoined{0, 200});
  node.tell(RankJoined{1, 101});
  node.tell(ProgramLost{0, 200, {RankState::running, "outside any blocking call"}});
  node.round(1 * second);
  node.tell(StarterSeen{0, {}, true});
  node.round(2 * second);
  node.tell(StarterSeen{0, {}, true});
  EXPECT_EQ(node.take<TellDeath>().size(), 1U);
  EXPECT_FALSE(node.decisions().is_there(0));
  node.end(0, exited(9));
  node.end(1, exited(0), RankState::finalized);
  EXPECT_FALSE(node.status());
}

TEST(JobOnNode, a_status_other_than_0_is_told_and_a_shell_tells_a_signal_by_it) {
  Node node(1);
  node.join_all();
  node.end(0, exited(128 + SIGABRT));
  EXPECT_EQ(node.status(), 128 + SIGABRT);
  EXPECT_NE(node.said().find("ended with status 134, as if by SIGABRT,"), std::string::npos);
}

TEST(JobOnNode, a_status_after_finalize_ends_nobody_and_is_the_status_of_the_job) {
  Node node(2);
  node.join_all();
  node.end(0, exited(3), RankState::finalized);
  EXPECT_TRUE(node.is().is_idle());
  EXPECT_EQ(node.said(), "");
  node.end(1, exited(4), RankState::finalized);
  EXPECT_EQ(node.status(), 3);
}

TEST(JobOnNode, a_rank_that_ends_with_0_and_has_not_finalized_ends_the_job) {
  Node node(2);
  node.join_all();
  node.end(0, exited(0));
  EXPECT_EQ(node.status(), 1);
  EXPECT_NE(node.said().find("ended with status 0 and without finalizing"), std::string::npos);
}

TEST(JobOnNode, a_late_rank_does_not_wait_for_one_that_took_no_part) {
  Node node(2);
  node.end(0, exited(0), RankState::absent);
  node.round();
  EXPECT_EQ(node.take<LookAtRanks>().size(), 1U);
  node.tell(RanksSeen{{RankState::absent, RankState::absent}});
  EXPECT_TRUE(node.is().is_idle());
  EXPECT_EQ(node.due_in(), 100 * ms);
  node.tell(RankJoined{1, 101});
  node.round(100 * ms);
  EXPECT_EQ(node.take<LookAtRanks>().size(), 1U);
  node.tell(RanksSeen{{RankState::absent, RankState::joined}});
  EXPECT_EQ(node.said(),
            "rank 0 ended before it joined the job, which rank 1 has joined; all ranks are "
            "ended\n");
  EXPECT_EQ(node.status(), 1);
}

TEST(JobOnNode, a_rank_that_joined_and_did_nothing_is_named_at_the_end) {
  Node node(2);
  node.tell(RankJoined{0, 100});
  node.end(0, exited(0), RankState::absent);
  node.end(1, exited(0), RankState::absent);
  EXPECT_EQ(node.decisions().describe_absent(),
            "rank 0 ended without a call of shmem_init or gex_Client_Init");
}

TEST(JobOnNode, another_program_may_run_as_a_rank_that_was_absent) {
  Node node(2);
  node.tell(Left{0});
  EXPECT_EQ(node.decisions().ranks().absent().size(), 1U);
  node.tell(RankJoined{0, 200});
  EXPECT_TRUE(node.decisions().ranks().absent().empty());
  EXPECT_EQ(node.decisions().ranks()[0].program, 200);
}

TEST(JobOnNode, a_term_is_passed_on_and_a_second_one_kills) {
  Node node(1);
  node.join_all();
  node.tell(SignalCame{SIGTERM});
  EXPECT_EQ(node.take<Report>(), std::vector{Report::places});
  const auto passed = node.take<SignalRanks>();
  ASSERT_EQ(passed.size(), 2U);
  EXPECT_EQ(passed[0].number, SIGTERM);
  EXPECT_EQ(passed[1].number, SIGCONT);  // it may be stopped
  node.round();
  EXPECT_TRUE(node.signals().empty());
  EXPECT_EQ(node.due_in(), 5 * second);
  node.tell(SignalCame{SIGTERM});
  node.round();
  EXPECT_EQ(node.signals(), std::vector{SIGKILL});
  node.end(0, SIGKILL);
  EXPECT_EQ(node.status(), 128 + SIGKILL);
  EXPECT_EQ(node.said(), "");
}

TEST(JobOnNode, an_interrupt_asks_why_at_once_and_the_status_is_that_of_the_ranks) {
  Node node(1);
  node.join_all();
  node.tell(SignalCame{SIGINT});
  EXPECT_EQ(node.take<Report>(), std::vector{Report::why_at_once});
  node.end(0, SIGINT);
  node.round(0, {});
  EXPECT_EQ(node.status(), 128 + SIGINT);
}

TEST(JobOnNode, a_stopped_rank_gets_stop_and_continue_and_the_job_goes_on) {
  Node node(1);
  node.join_all();
  node.tell(SignalCame{SIGTSTP});
  node.tell(SignalCame{SIGCONT});
  const auto passed = node.take<SignalRanks>();
  ASSERT_EQ(passed.size(), 2U);
  EXPECT_EQ(passed[0].number, SIGTSTP);
  EXPECT_EQ(passed[1].number, SIGCONT);
  EXPECT_TRUE(node.is().is_idle());
  EXPECT_TRUE(node.does_nothing());
}

TEST(JobOnNode, a_question_is_answered_and_passed_to_ranks_that_know_it) {
  Node node(1);
  node.tell(SignalCame{SIGUSR1});
  EXPECT_EQ(node.take<Report>(), std::vector{Report::places});
  EXPECT_EQ(node.take<AskRanks>().size(), 1U);
  EXPECT_TRUE(node.does_nothing());
}

TEST(JobOnNode, who_computes_after_a_term_gets_the_processor_time_that_was_promised) {
  Node node(1);
  node.join_all();
  node.tell(SignalCame{SIGTERM});
  node.round(0, {true, 1, {true, 10 * second}});
  node.round(5 * second, {true, 1, {true, 12 * second}});
  EXPECT_TRUE(node.signals().empty());
  node.round(100 * ms, {true, 1, {true, 15 * second}});
  EXPECT_EQ(node.signals(), std::vector{SIGKILL});
}

TEST(JobOnNode, processes_that_cannot_be_killed_are_given_up) {
  Node node(1);
  node.tell(LauncherLost{"the launcher was killed"});
  EXPECT_EQ(node.said(), "the launcher was killed\n");
  EXPECT_EQ(node.status(), 128 + SIGKILL);
  node.round();
  node.round(2 * second);
  for (int i = 0; i < 500 && !node.is().ending().is_over(); ++i) node.round(10 * ms);
  EXPECT_EQ(node.is().ending().state(), Ending::State::given_up);
}

TEST(JobOnNode, a_guardian_that_was_stopped_gives_nothing_up_at_once) {
  Node node(1);
  node.tell(SignalCame{SIGTERM});
  node.round();
  node.tell(SignalCame{SIGTERM});
  node.round(4 * second);
  EXPECT_EQ(node.signals(), std::vector{SIGKILL});
  node.round(4 * second);
  EXPECT_FALSE(node.is().ending().is_over());
  for (int i = 0; i < 500 && !node.is().ending().is_over(); ++i) node.round(10 * ms);
  EXPECT_EQ(node.is().ending().state(), Ending::State::given_up);
}

TEST(JobOnNode, a_global_exit_gives_the_status_and_a_second_for_exit_handlers) {
  Node node(2);
  node.join_all();
  node.end(0, exited(5), RankState::finalized);
  node.tell(protocol::GlobalExit{.status = 9, .is_on_purpose = 1});
  EXPECT_EQ(node.status(), 9);
  EXPECT_EQ(node.take<EndOnPurpose>().at(0).status, 9);
  node.round();
  EXPECT_TRUE(node.signals().empty());
  node.round(second);
  EXPECT_EQ(node.signals(), (std::vector{SIGTERM, SIGCONT}));
  EXPECT_EQ(node.said(), "");
}

TEST(JobOnNode, a_timeout_says_why_and_gives_124) {
  Node node(2, 1, std::chrono::milliseconds(1500));
  node.join_all();
  EXPECT_EQ(node.due_in(), 1500 * ms);
  node.round(1500 * ms);
  EXPECT_EQ(node.said(), "the job runs longer than --timeout 1.5 s; its 2 ranks are ended\n");
  EXPECT_EQ(node.take<Report>(), std::vector{Report::why});
  EXPECT_EQ(node.status(), 124);
}

TEST(JobOnNode, a_report_takes_no_time_from_the_ranks_that_are_asked_to_end) {
  Node node(1, 1, std::chrono::milliseconds(1500));
  node.join_all();
  node.let_pass(1500 * ms);
  node.tell(Tick{});
  node.let_pass(3 * second);  // while the report is made
  node.tell(DescendantsSeen{true, 1, {}});
  EXPECT_EQ(node.signals(), (std::vector{SIGTERM, SIGCONT}));
  EXPECT_EQ(node.due_in(), 2 * second);
  node.round(2 * second);
  EXPECT_EQ(node.signals(), std::vector{SIGKILL});
}

TEST(JobOnNode, nobody_to_read_the_output_ends_the_job_without_a_word) {
  Node node(1);
  node.tell(OutputFailed{EPIPE});
  node.tell(OutputFailed{EPIPE});
  EXPECT_EQ(node.status(), 128 + SIGPIPE);
  EXPECT_EQ(node.said(), "");
  Node full(1);
  full.tell(OutputFailed{ENOSPC});
  full.tell(OutputFailed{ENOSPC});
  EXPECT_TRUE(full.is().is_idle());
  EXPECT_EQ(full.said(),
            "cannot write to the standard output: No space left on device; the output of the ranks "
            "is lost\n");
}

TEST(JobOnNode, a_shell_that_lives_on_after_its_program_has_a_second_and_what_it_computes) {
  Node node(2);
  node.join_all();
  node.tell(ProgramLost{1, 201, {RankState::running, "outside any blocking call"}});
  EXPECT_FALSE(node.decisions().is_there(1));
  node.round(second);
  EXPECT_EQ(node.take<LookAtStarter>().at(0).rank, 1U);
  node.tell(StarterSeen{1, {true, 0}});
  EXPECT_TRUE(node.is().is_idle());
  node.round(100 * ms);
  EXPECT_EQ(node.take<LookAtStarter>().size(), 1U);
  node.tell(StarterSeen{1, {false, 0}});
  EXPECT_EQ(node.said(),
            "rank 1 on host h (pid 201) ended without finalizing, outside any blocking call; the "
            "process that started it (pid 101) lives on; the other rank is ended\n");
}

TEST(JobOnNode, a_rank_that_runs_another_program_ends_the_job_a_second_later) {
  Node node(2);
  node.join_all();
  node.tell(ImageLost{0, 100, true, "in shmem_quiet, waiting for 0.5 s"});
  node.round(second);
  EXPECT_EQ(node.take<LookAtImage>().at(0).pid, 100);
  node.tell(ImageLost{0, 100, true, "in shmem_quiet, waiting for 1.5 s"});
  EXPECT_EQ(node.said(),
            "rank 0 on host h (pid 100) replaced its program (exec) in shmem_quiet, "
            "waiting for 0.5 s; the other rank is ended\n");
  Node again(2);
  again.join_all();
  again.tell(ImageLost{0, 100, true, ""});
  again.tell(RankJoined{0, 100});  // that program joins in turn
  again.round(second);
  EXPECT_TRUE(again.take<LookAtImage>().empty());
  EXPECT_TRUE(again.is().is_idle());
}

TEST(JobOnNode, ranks_that_wait_for_one_that_leaves_are_told) {
  Node node(2);
  node.join_all();
  node.tell(RankLeaves{});
  node.round();
  EXPECT_EQ(node.take<LookForDeadlock>().size(), 1U);
  EXPECT_EQ(node.due_in(), 700 * ms);
  node.tell(DeadlockSeen{});  // nobody leaves: another fault
  EXPECT_TRUE(node.is().is_idle());
  node.tell(DeadlockSeen{.any_leaves = true, .sentence = "rank 0 waits"});
  EXPECT_EQ(node.said(), "rank 0 waits\n");
  EXPECT_EQ(node.status(), 1);
}

TEST(JobOnNode, on_several_hosts_the_conductor_says_why_the_job_ends) {
  Node node(2, 2);
  node.tell(RankJoined{0, 100});
  EXPECT_EQ(node.take<NeedAgent>().size(), 1U);
  node.end(0, SIGKILL);
  EXPECT_EQ(node.said(), "");
  const Stopping stopping = node.take<Stopping>().at(0);
  EXPECT_EQ(stopping.status, 137U);
  EXPECT_NE(stopping.sentence.find("the other 3 ranks are ended"), std::string::npos);
}

TEST(JobOnNode, an_end_elsewhere_ends_the_ranks_in_silence) {
  Node node(2, 2);
  node.join_all();
  node.tell(EndElsewhere{{.is_on_purpose = false, .status = 1}});
  EXPECT_EQ(node.take<Report>(), std::vector{Report::waiting});
  EXPECT_TRUE(node.take<Stopping>().empty());
  EXPECT_TRUE(node.is().has_failed_elsewhere());
  node.round();
  EXPECT_EQ(node.signals(), (std::vector{SIGTERM, SIGCONT}));
  EXPECT_EQ(node.due_in(), 2 * second);
}

TEST(JobOnNode, a_term_to_one_host_ends_the_others) {
  Node node(2, 2);
  node.join_all();
  node.tell(SignalCame{SIGTERM});
  EXPECT_EQ(node.take<Stopping>().at(0).sentence,
            "the launcher on host h has received SIGTERM; the job is ended");
  EXPECT_EQ(node.status(), 143);
  Node told(2, 2);
  told.join_all();
  told.tell(SignalCame{.number = SIGTERM, .passed_on = true});
  EXPECT_TRUE(told.take<Stopping>().empty());
  told.tell(EndElsewhere{{.is_on_purpose = false, .status = 143}, true});  // it has come already
  told.round();
  EXPECT_TRUE(told.signals().empty());
}

TEST(JobOnNode, a_lost_agent_is_a_loss_to_ranks_that_go_on) {
  for (const RankState state : {RankState::running, RankState::finalized}) {
    Node node(1, 2);
    node.join_all();
    node.tell(AgentLost{.pid = 7, .wait_status = SIGKILL, .pause_ns = second});
    node.round(second);
    EXPECT_EQ(node.take<LookAtRanks>().size(), 1U);
    node.tell(RanksSeen{{state}});
    EXPECT_EQ(node.is().is_idle(), state == RankState::finalized);
    EXPECT_FALSE(node.is().is_idle() && node.due_in());
  }
}

TEST(JobOnNode, an_agent_that_cannot_serve_says_why) {
  Node node(1, 2);
  node.join_all();
  node.tell(AgentLost{.pid = 7, .wait_status = exited(1), .error_text = "no network"});
  EXPECT_EQ(node.take<Stopping>().at(0).sentence, "no network");
}

TEST(JobOnNode, a_failed_start_is_told_with_its_host_and_nothing_after_it) {
  Node node(1, 2);
  node.tell(Failed{{Errc::missing, "cannot find ./program"}, 127});
  node.tell(Failed{{Errc::missing, "another"}, 1});
  const auto told = node.take<Stopping>();
  EXPECT_EQ(told.at(0).sentence, "host h: cannot find ./program");
  EXPECT_EQ(told.at(1).sentence, "");
  EXPECT_EQ(node.status(), 127);
}

}  // namespace
}  // namespace gondwana::launch
