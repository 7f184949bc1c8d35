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
  EXPECT_EQ(told[0].rank, 1U);
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

TEST(JobOnNode, a_death_ends_a_job_that_cannot_continue) {
  Node node(2, 1, {}, OnDeath::go_on);
  node.join_all();
  node.end(1, SIGSEGV);
  EXPECT_EQ(node.status(), 128 + SIGSEGV);
  EXPECT_NE(node.said().find("; the other rank is ended\n"), std::string::npos);
  EXPECT_TRUE(node.take<TellDeath>().empty());
  EXPECT_EQ(node.decisions().describe_dead(), "");
}

}  // namespace
}  // namespace gondwana::launch
