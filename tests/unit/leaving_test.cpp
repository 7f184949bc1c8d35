// How a process leaves its job, without a process, a launcher or a clock.
#include "process/leaving.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t begin = 1'000'000 * ms;

template <typename Action>
const Action& only(const LeaveActions& actions) {
  EXPECT_EQ(actions.size(), 1U);
  return std::get<Action>(actions.front());
}

TEST(Leaving, our_launcher_is_told_at_once_and_judges_the_end_itself) {
  Leaving leaving;
  const auto told = leaving.handle(EndCalled{7, false}, begin);
  EXPECT_EQ(only<TellLauncher>(told).status, 7);
  EXPECT_EQ(only<TellLauncher>(told).reason, EndReason::on_purpose);
  only<LeaveLauncher>(leaving.handle(HandlersDone{7, true, false}, begin));
}

TEST(Leaving, a_status_that_a_parent_would_see_as_0_is_1) {
  Leaving leaving;
  leaving.handle(EndCalled{512, false}, begin);
  EXPECT_EQ(leaving.status(), 1);
  leaving.handle(EndCalled{0, false}, begin);
  EXPECT_EQ(leaving.status(), 0);
}

TEST(Leaving, a_foreign_launcher_is_told_when_the_ranks_here_have_finalized) {
  Leaving leaving;
  EXPECT_EQ(only<AnnounceEnd>(leaving.handle(EndCalled{7, true}, begin)).status, 7);
  only<LookAtOthers>(leaving.handle(HandlersDone{7, true, true}, begin));
  only<LookAtOthers>(leaving.handle(OthersSeen{true}, begin + 10 * ms));
  const auto told = leaving.handle(OthersSeen{false}, begin + 20 * ms);
  EXPECT_EQ(only<TellLauncher>(told).status, 7);
}

TEST(Leaving, ranks_that_do_not_end_have_a_second) {
  Leaving leaving;
  leaving.handle(EndCalled{0, true}, begin);
  leaving.handle(HandlersDone{0, true, true}, begin);
  only<LookAtOthers>(leaving.handle(OthersSeen{true}, begin + 999 * ms));
  only<TellLauncher>(leaving.handle(OthersSeen{true}, begin + 1000 * ms));
}

TEST(Leaving, an_exit_before_the_end_is_a_fault_that_a_foreign_launcher_must_know) {
  Leaving leaving;
  const auto actions = leaving.handle(HandlersDone{3, false, true}, begin);
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_EQ(std::get<SayUnfinished>(actions[0]).status, 3);
  EXPECT_EQ(std::get<TellLauncher>(actions[1]).reason, EndReason::error);
  only<LeaveLauncher>(
      leaving.handle(HandlersDone{3, false, false}, begin));  // its guardian sees it
  only<LeaveLauncher>(leaving.handle(HandlersDone{0, false, true}, begin));
  only<LeaveLauncher>(leaving.handle(HandlersDone{3, true, true}, begin));
}

TEST(Leaving, the_status_of_another_rank_is_ours) {
  Leaving leaving;
  EXPECT_TRUE(leaving.handle(EndTold{9}, begin).empty());
  EXPECT_EQ(leaving.status(), 9);
  only<LeaveLauncher>(leaving.handle(HandlersDone{9, true, true}, begin));
}

TEST(LossWait, others_have_time_to_say_more_unless_nobody_can) {
  using Step = LossWait::Step;
  const LossWait wait(true, 2000 * ms, begin);
  EXPECT_EQ(wait.step(false, begin + 1999 * ms), Step::wait_again);
  EXPECT_EQ(wait.step(true, begin + 5000 * ms), Step::end_with_others);
  EXPECT_EQ(wait.step(false, begin + 2000 * ms), Step::fail);
  EXPECT_EQ(LossWait(false, 2000 * ms, begin).step(false, begin), Step::fail);
}

}  // namespace
}  // namespace gondwana
