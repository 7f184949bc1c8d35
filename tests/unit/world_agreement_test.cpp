#include "run/remote/world_agreement.hpp"

#include <gtest/gtest.h>

namespace gondwana::launch {
namespace {

WorldEntry entry_of(std::uint32_t rank, std::uint64_t numbers = 0xc, std::uint64_t epoch = 0) {
  return {.rank = rank, .numbers = numbers, .epoch = epoch};
}

TEST(WorldAgreement, the_last_rank_decides_and_all_offers_count) {
  WorldAgreement world(3);
  EXPECT_FALSE(world.enter(entry_of(0, 0xe, 5)));
  EXPECT_FALSE(world.enter(entry_of(2, 0xc, 9)));
  const auto decision = world.enter(entry_of(1, 0x7, 7));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->turn, 1U);
  EXPECT_EQ(decision->size, 3U);
  EXPECT_EQ(decision->deaths, 0U);
  EXPECT_EQ(decision->numbers, 0x4U);
  EXPECT_EQ(decision->epoch, 9U);
}

TEST(WorldAgreement, ranks_that_were_added_must_enter) {
  WorldAgreement world(2);
  EXPECT_FALSE(world.enter(entry_of(2))) << "it has no number yet";
  EXPECT_FALSE(world.enter(entry_of(0)));
  world.grow(3);
  EXPECT_FALSE(world.enter(entry_of(1)));
  const auto decision = world.enter(entry_of(2));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->size, 3U);
}

TEST(WorldAgreement, a_death_may_be_the_last_that_was_missing) {
  WorldAgreement world(3);
  EXPECT_FALSE(world.enter(entry_of(0)));
  EXPECT_FALSE(world.enter(entry_of(2)));
  EXPECT_FALSE(world.die(0, 1)) << "one that has entered counts no more";
  const auto decision = world.die(1, 2);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->deaths, 2U);
  EXPECT_FALSE(world.die(2, 3)) << "nobody waits";
}

TEST(WorldAgreement, all_wait_for_the_process_that_replaces_a_dead_rank) {
  WorldAgreement world(2);
  EXPECT_FALSE(world.enter(entry_of(1)));
  world.replace(1, 2);
  EXPECT_FALSE(world.enter(entry_of(0)));
  const auto decision = world.enter(entry_of(1));
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->deaths, 2U) << "the death and the start";
}

TEST(WorldAgreement, each_update_needs_all_again) {
  WorldAgreement world(2);
  world.enter(entry_of(0));
  ASSERT_TRUE(world.enter(entry_of(1)));
  EXPECT_FALSE(world.enter(entry_of(1)));
  const auto second = world.enter(entry_of(0));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->turn, 2U);
}

}  // namespace
}  // namespace gondwana::launch
