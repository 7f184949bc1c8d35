#include "front/gasnet/quiet_polls.hpp"

#include <gtest/gtest.h>

namespace gondwana::gasnet {
namespace {

TEST(quiet_polls, are_limited_in_number) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  EXPECT_FALSE(polls.is_quiet());
  polls.arm(bell);
  EXPECT_FALSE(polls.is_quiet());
  polls.allow();
  for (std::uint32_t i = 0; i < QuietPolls::most; ++i) EXPECT_TRUE(polls.is_quiet()) << i;
  EXPECT_FALSE(polls.is_quiet());
}

TEST(quiet_polls, end_when_the_doorbell_rings) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  polls.arm(bell);
  polls.allow();
  EXPECT_TRUE(polls.is_quiet());
  bell.ring_if_asleep();
  EXPECT_FALSE(polls.is_quiet());
}

TEST(quiet_polls, see_a_ring_before_they_are_allowed) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  polls.arm(bell);
  bell.ring_if_asleep();
  polls.allow();
  EXPECT_FALSE(polls.is_quiet());
}

TEST(quiet_polls, are_armed_again_after_a_ring) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  for (int i = 0; i < 3; ++i) {
    polls.arm(bell);
    EXPECT_TRUE(bell.any_sleeper());
    polls.arm(bell);
    polls.allow();
    EXPECT_TRUE(polls.is_quiet());
    bell.ring_if_asleep();
    EXPECT_FALSE(bell.any_sleeper());
    EXPECT_FALSE(polls.is_quiet());
  }
}

// The thorough poll in between found something, and there may be more.
TEST(quiet_polls, are_allowed_anew_after_each_thorough_poll) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  polls.arm(bell);
  polls.allow();
  EXPECT_TRUE(polls.is_quiet());
  bell.ring_if_asleep();
  polls.arm(bell);
  EXPECT_FALSE(polls.is_quiet());
}

TEST(quiet_polls, end_on_demand) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  polls.arm(bell);
  polls.allow();
  polls.end();
  EXPECT_FALSE(polls.is_quiet());
}

TEST(quiet_polls, end_by_time_in_a_job_on_several_nodes) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  polls.arm(bell);
  polls.allow(ticks());  // now
  EXPECT_FALSE(polls.is_quiet());
  polls.allow(~std::uint64_t{1});
  EXPECT_TRUE(polls.is_quiet());
}

TEST(quiet_polls, are_counted) {
  Doorbell<RealAtomics> bell{};
  QuietPolls polls;
  EXPECT_EQ(polls.arm(bell), 0U);
  polls.allow();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(polls.is_quiet());
  EXPECT_EQ(polls.arm(bell), 5U);
  EXPECT_EQ(polls.end(), 0U);
}

TEST(quiet_polls, do_not_begin_soon_after_a_message_was_sent) {
  QuietPolls polls;
  EXPECT_TRUE(polls.is_idle(false));
  EXPECT_FALSE(polls.is_idle(true));
  for (std::uint32_t i = 2; i < QuietPolls::after_sending; ++i)
    EXPECT_FALSE(polls.is_idle(false)) << i;
  EXPECT_TRUE(polls.is_idle(false));
}

}  // namespace
}  // namespace gondwana::gasnet
