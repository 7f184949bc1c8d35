// When a rank still yields, observed from its behaviour.
#include "engine/wait/wait_policy.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

// One wait. Returns false if the rank sleeps at once.
bool wait_once(WaitPolicy& policy, bool came_late) {
  WaitPolicy::Yields yields;
  const bool has_yielded = policy.yield_once(yields);
  policy.end(yields, came_late);
  return has_yielded;
}

int waits_without_yield(WaitPolicy& policy) {
  int waits = 0;
  while (waits < 100'000 && !wait_once(policy, true)) ++waits;
  return waits;
}

WaitPolicy shared_processors() {
  return WaitPolicy({.is_oversubscribed = true, .yields_help = true}, 0);
}

TEST(wait_policy, a_rank_that_comes_late_sleeps_for_ever_longer) {
  WaitPolicy policy = shared_processors();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(wait_once(policy, true));
  // Each of these ends by another late wait.
  EXPECT_EQ(waits_without_yield(policy), 256);
  EXPECT_EQ(waits_without_yield(policy), 1024);
  EXPECT_EQ(waits_without_yield(policy), 4096);
  EXPECT_EQ(waits_without_yield(policy), 8192);
  EXPECT_EQ(waits_without_yield(policy), 8192);
}

TEST(wait_policy, every_second_wait_may_not_be_late) {
  WaitPolicy policy = shared_processors();
  bool yields = true;
  for (int i = 0; i < 10 && yields; ++i) yields = wait_once(policy, i % 2 == 0);
  EXPECT_FALSE(yields);
}

TEST(wait_policy, one_in_twenty_may_be_late) {
  WaitPolicy policy = shared_processors();
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(wait_once(policy, i % 20 == 0)) << "wait " << i;
}

TEST(wait_policy, after_a_rest_success_restores_the_trust) {
  WaitPolicy policy = shared_processors();
  for (int i = 0; i < 3; ++i) wait_once(policy, true);
  EXPECT_EQ(waits_without_yield(policy), 256);
  while (!wait_once(policy, false)) continue;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(wait_once(policy, false));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(wait_once(policy, true));
  EXPECT_EQ(waits_without_yield(policy), 256);
}

TEST(wait_policy, among_very_many_ranks_late_waits_do_not_count) {
  WaitPolicy policy({.is_oversubscribed = true, .yields_help = true, .ranks_each = 64}, 0);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(wait_once(policy, true));
}

TEST(wait_policy, a_yield_that_cannot_help_is_left_out) {
  WaitPolicy policy({.is_oversubscribed = true, .yields_help = false}, 0);
  EXPECT_FALSE(wait_once(policy, false));
}

}  // namespace
}  // namespace gondwana
