// A thread waits for the operations so far while others post more to the same lane.
#include "engine/rma/lane.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gondwana {
namespace {

class LaneGenerations : public testing::Test {
 protected:
  std::unique_ptr<ThreadSlot> slot_ = std::make_unique<ThreadSlot>();
  Lane lane_{*slot_, Shortcut()};
};

TEST_F(LaneGenerations, later_operations_do_not_hold_up_a_wait) {
  Completion& first = lane_.pending();
  first.begin();
  const std::uint64_t so_far = lane_.generation();
  EXPECT_FALSE(lane_.is_complete(so_far));
  Completion& second = lane_.pending();
  ASSERT_NE(&first, &second);
  second.begin();
  first.finish();
  EXPECT_TRUE(lane_.is_complete(so_far));
  EXPECT_FALSE(lane_.is_done());
  second.finish();
  EXPECT_TRUE(lane_.is_done());
}

TEST_F(LaneGenerations, a_wait_covers_the_generation_before) {
  Completion& first = lane_.pending();
  first.begin();
  EXPECT_FALSE(lane_.is_complete(lane_.generation()));  // another thread waits for the first
  Completion& second = lane_.pending();
  second.begin();
  const std::uint64_t so_far = lane_.generation();
  second.finish();
  EXPECT_FALSE(lane_.is_complete(so_far));
  first.finish();
  EXPECT_TRUE(lane_.is_complete(so_far));
}

TEST_F(LaneGenerations, copies_stay_until_their_generation_is_complete) {
  std::vector<std::byte> source(Lane::bounce_limit, std::byte{1});
  Completion& first = lane_.pending();
  first.begin();
  const Bytes copy = lane_.bounce(source);
  while (!lane_.bounce(source).empty()) {
  }
  ASSERT_TRUE(lane_.begin_generation());
  source.assign(source.size(), std::byte{2});
  while (!lane_.bounce(source).empty()) {
  }
  EXPECT_FALSE(lane_.begin_generation()) << "the first operation is in flight";
  EXPECT_EQ(copy.front(), std::byte{1});
  EXPECT_EQ(copy.back(), std::byte{1});
  first.finish();
  EXPECT_TRUE(lane_.begin_generation());
}

}  // namespace
}  // namespace gondwana
