// What a waiting rank checks on its node, without a process, a memory or a clock.
#include "process/neighbor_checks.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t begin = 1'000'000 * ms;
constexpr std::uint64_t interval = stillness_interval_ns;

template <typename Step>
bool is(const NeighborStep& step) {
  return std::holds_alternative<Step>(step);
}

// The first rank of a node on which a rank has ended, up to the result of FindStillness.
NeighborStep check(NeighborChecks& checks, std::optional<Stillness> found, std::uint64_t now) {
  EXPECT_TRUE(is<CheckLosses>(checks.handle(RankWaits{}, now)));
  EXPECT_TRUE(is<TakeSnapshot>(checks.handle(LossesChecked{{}, true}, now)));
  EXPECT_TRUE(is<FindStillness>(checks.handle(SnapshotTaken{true, true}, now)));
  return checks.handle(StillnessSought{found}, now);
}

TEST(NeighborChecks, a_rank_that_polls_often_checks_at_intervals) {
  NeighborChecks checks;
  EXPECT_TRUE(is<CheckLosses>(checks.handle(RankWaits{}, begin)));
  EXPECT_TRUE(is<ContinueWait>(checks.handle(LossesChecked{{}, false}, begin)));
  EXPECT_TRUE(is<ContinueWait>(checks.handle(RankWaits{}, begin + 1)));
  EXPECT_TRUE(is<ContinueWait>(checks.handle(RankWaits{}, begin + 349 * ms)));
  EXPECT_TRUE(is<CheckLosses>(checks.handle(RankWaits{}, begin + 350 * ms)));
}

TEST(NeighborChecks, a_loss_ends_the_wait_before_anything_else_is_checked) {
  NeighborChecks checks;
  checks.handle(RankWaits{}, begin);
  const NeighborStep step = checks.handle(LossesChecked{"rank 1 is lost", true}, begin);
  ASSERT_TRUE(is<Error>(step));
  EXPECT_EQ(std::get<Error>(step).code, Errc::peer_lost);
  EXPECT_EQ(std::get<Error>(step).text, "rank 1 is lost");
}

TEST(NeighborChecks, two_equal_findings_are_a_deadlock) {
  NeighborChecks checks;
  EXPECT_TRUE(is<ContinueWait>(check(checks, Stillness{7}, begin)));
  EXPECT_TRUE(is<ReportDeadlock>(check(checks, Stillness{7}, begin + interval)));
}

TEST(NeighborChecks, ranks_that_move_between_two_checks_may_continue) {
  NeighborChecks checks;
  EXPECT_TRUE(is<ContinueWait>(check(checks, Stillness{7}, begin)));
  EXPECT_TRUE(is<ContinueWait>(check(checks, Stillness{8}, begin + interval)));
  EXPECT_TRUE(is<ContinueWait>(check(checks, {}, begin + 2 * interval)));
  EXPECT_TRUE(is<ContinueWait>(check(checks, {}, begin + 3 * interval)));
  EXPECT_TRUE(is<ContinueWait>(check(checks, Stillness{8}, begin + 4 * interval)));
}

TEST(NeighborChecks, deadlocks_are_sought_less_often_than_losses) {
  NeighborChecks checks;
  check(checks, Stillness{7}, begin);
  EXPECT_TRUE(is<CheckLosses>(checks.handle(RankWaits{}, begin + 350 * ms)));
  EXPECT_TRUE(is<ContinueWait>(checks.handle(LossesChecked{{}, true}, begin + 350 * ms)));
}

TEST(NeighborChecks, only_the_first_rank_seeks_a_deadlock_once_a_rank_leaves) {
  NeighborChecks checks;
  checks.handle(RankWaits{}, begin);
  checks.handle(LossesChecked{{}, true}, begin);
  EXPECT_TRUE(is<ContinueWait>(checks.handle(SnapshotTaken{false, true}, begin)));
  // It asks again later: the first rank may have ended.
  checks.handle(RankWaits{}, begin + 350 * ms);
  EXPECT_TRUE(is<ContinueWait>(checks.handle(LossesChecked{{}, true}, begin + 350 * ms)));
  checks.handle(RankWaits{}, begin + interval);
  EXPECT_TRUE(is<TakeSnapshot>(checks.handle(LossesChecked{{}, true}, begin + interval)));
  EXPECT_TRUE(is<ContinueWait>(checks.handle(SnapshotTaken{true, false}, begin + interval)));
}

}  // namespace
}  // namespace gondwana
