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

}  // namespace
}  // namespace gondwana::gasnet
