// Jobs that get more ranks while they run: the decisions of the guardian, and the command line that
// a rank sends.
#include "run/node/growth.hpp"

#include <gtest/gtest.h>

#include "bootstrap/spawn_command.hpp"
#include "support/job_on_node.hpp"

namespace gondwana::launch::test {
namespace {

RanksWanted wanted(std::uint32_t ranks, std::vector<std::string> words = {}) {
  return {.asker = 1, .ranks = ranks, .command = {"/f", std::move(words)}, .path = "/bin/w"};
}

TEST(Growth, numbers_follow_those_of_the_others_up_to_the_limit) {
  Node node(2, 1, {}, OnDeath::end, 6);
  node.join_all();
  node.tell(wanted(3));
  const auto first = node.take<AddRanks>();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].session.first, 2U);
  EXPECT_EQ(first[0].session.ranks, 3U);
  EXPECT_EQ(first[0].asker, 1U);
  EXPECT_EQ(node.decisions().ranks().size(), 5U);
  node.tell(wanted(2));
  const auto refused = node.take<RefuseRanks>();
  ASSERT_EQ(refused.size(), 1U);
  EXPECT_EQ(refused[0].reason,
            "2 more ranks: 5 ranks have had a number, and --max-ranks 6 allows no more than 1 "
            "others");
  node.tell(wanted(1));
  EXPECT_EQ(node.take<AddRanks>().at(0).session.first, 5U);
}

TEST(Growth, a_job_without_a_limit_and_one_that_ends_do_not_grow) {
  Node fixed(2);
  fixed.join_all();
  fixed.tell(wanted(1));
  EXPECT_EQ(fixed.take<RefuseRanks>().size(), 1U);
  Node ending(2, 1, {}, OnDeath::end, 6);
  ending.join_all();
  ending.tell(protocol::GlobalExit{3, 1});
  ending.take<EndOnPurpose>();
  ending.tell(wanted(1));
  EXPECT_EQ(ending.take<RefuseRanks>().at(0).reason, "the job ends");
}

TEST(Growth, a_job_of_which_no_rank_is_left_does_not_grow) {
  Node node(1, 1, {}, OnDeath::go_on, 4);
  node.join_all();
  node.lose(0, SIGKILL);
  node.tell(wanted(1));
  EXPECT_EQ(node.take<RefuseRanks>().at(0).reason, "the job ends") << "its status is known";
}

TEST(Growth, ranks_that_cannot_all_start_are_dead) {
  Node node(1, 1, {}, OnDeath::end, 4);
  node.join_all();
  node.tell(RanksWanted{.asker = 0, .ranks = 2, .command = {}, .path = {}});
  const Session session = node.take<AddRanks>().at(0).session;
  node.tell(RankStarted{1, 101});
  node.tell(RanksFailed{session});
  EXPECT_EQ(node.take<TellDeath>().size(), 2U);
  node.end(1, SIGKILL, RankState::absent);
  EXPECT_TRUE(node.is().is_idle()) << "the job continues";
  node.end(0, exited(0), RankState::finalized);
  EXPECT_EQ(node.status().value_or(0), 0);
}

TEST(Growth, a_rank_that_leaves_is_told_and_its_end_is_no_loss) {
  Node node(3);
  node.join_all();
  node.tell(RankLeft{1});
  const auto told = node.take<TellDeath>();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].how, DeathKind::leave);
  node.end(1, SIGKILL, RankState::finalized);
  EXPECT_TRUE(node.is().is_idle());
}

TEST(Growth, a_command_without_words_is_that_of_the_rank_that_asks) {
  Job job;
  job.programs.push_back({.ranks = 1, .words = {"a"}, .path = "/bin/a"});
  job.programs.push_back({.ranks = 2, .words = {"b", "1"}, .path = "/bin/b", .folder = "/d"});
  const Program same = program_of(job, {}, wanted(4));
  EXPECT_EQ(same.ranks, 4U);
  EXPECT_EQ(same.words, (std::vector<std::string>{"b", "1"}));
  EXPECT_EQ(same.folder, "/d");
  const Program other = program_of(job, {}, wanted(4, {"w", "x"}));
  EXPECT_EQ(other.words, (std::vector<std::string>{"w", "x"}));
  EXPECT_EQ(other.path, "/bin/w");
  EXPECT_EQ(other.folder, "/f");
  const std::vector<AddRanks> added{{.asker = 0, .program = other, .session = {3, 4}}};
  const Program later = program_of(job, added, {.asker = 6, .ranks = 1, .command = {}, .path = {}});
  EXPECT_EQ(later.words, other.words) << "rank 6 is one of those that were added";
}

TEST(SpawnCommand, is_read_as_it_was_written) {
  const SpawnCommand command{"/a b", {"program", "", "-x\n"}};
  const Result<SpawnCommand> read = read_command(write_command(command));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->folder, command.folder);
  EXPECT_EQ(read->words, command.words);
  EXPECT_FALSE(read_command(""));
  EXPECT_FALSE(read_command("no end"));
  const Result<UniqueFd> file = file_with("text");
  ASSERT_TRUE(file);
  EXPECT_EQ(*text_of(*file, 4), "text");
  EXPECT_FALSE(text_of(*file, 3)) << "longer than allowed";
  EXPECT_FALSE(text_of(UniqueFd(), 3));
}

}  // namespace
}  // namespace gondwana::launch::test
