// Ranks that a user asks to leave: the decisions of their guardian.
#include "run/node/departures.hpp"

#include "support/job_on_node.hpp"

namespace gondwana::launch {
namespace {

using namespace test;

constexpr std::uint32_t user = protocol::max_ranks;

std::string answer_to(Node& node, const RanksUnwanted& unwanted, bool is_refused) {
  node.tell(unwanted);
  const auto answers = node.take<AnswerUser>();
  EXPECT_EQ(answers.size(), 1U);
  if (answers.size() != 1) return {};
  EXPECT_EQ(answers[0].asker, user);
  EXPECT_EQ(answers[0].is_refused, is_refused);
  return answers[0].text;
}

TEST(Departures, a_rank_that_is_asked_to_leave_and_ends_is_no_death) {
  Node node(3, 1, {}, OnDeath::go_on);
  node.join_all();
  EXPECT_EQ(answer_to(node, {user, {0, 2}, true}, false), "ranks 0, 2 were asked to leave");
  const auto asked = node.take<AskToLeave>();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[1].rank, 2U);
  node.lose(2, SIGTERM);
  EXPECT_EQ(node.said(), "rank 2 has ended at the request of `gondwana shrink`\n");
  const auto told = node.take<TellDeath>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].how, DeathKind::leave);
  EXPECT_EQ(told[0].dead.rank, 2U);
  node.lose(0, SIGTERM);
  node.end(1, exited(0), RankState::finalized);
  EXPECT_EQ(node.status().value_or(0), 0);
  EXPECT_EQ(node.decisions().describe_dead(), "");
}

TEST(Departures, a_rank_that_is_asked_to_leave_is_not_started_again) {
  Node node(2, {.times = 3});
  node.join_all();
  EXPECT_EQ(answer_to(node, {user, {1}, true}, false), "rank 1 was asked to leave");
  node.lose(1, SIGTERM);
  EXPECT_TRUE(node.take<RestartRank>().empty());
}

TEST(Departures, what_cannot_be_done_is_refused_in_words) {
  Node node(2, 1, {}, OnDeath::go_on);
  node.join_all();
  EXPECT_EQ(answer_to(node, {user, {2}, true}, true), "rank 2: this job has ranks 0 to 1");
  EXPECT_EQ(answer_to(node, {user, {}, true}, true), "no rank is named");
  EXPECT_NE(answer_to(node, {user, {0, 1}, true}, true).find("no rank would be left"),
            std::string::npos);
  EXPECT_NE(answer_to(node, {user, {1}, false}, true).find("GASNet-EX"), std::string::npos);
  node.lose(1, SIGKILL);
  EXPECT_NE(answer_to(node, {user, {1}, true}, true).find("rank 1 has ended"), std::string::npos);
  EXPECT_TRUE(node.take<AskToLeave>().empty());
  Node fixed(2);
  fixed.join_all();
  EXPECT_NE(answer_to(fixed, {user, {1}, true}, true).find("--max-ranks"), std::string::npos);
}

}  // namespace
}  // namespace gondwana::launch
