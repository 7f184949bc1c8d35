// A thread waits for the operations so far while others post more to the same lane.
#include "engine/rma/posted_operations.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gondwana {
namespace {

TEST(posted_operations, later_operations_do_not_hold_up_a_wait) {
  PostedOperations posted;
  Completion& first = posted.pending();
  first.begin();
  const std::uint64_t so_far = posted.generation();
  EXPECT_FALSE(posted.is_complete(so_far));
  Completion& second = posted.pending();
  ASSERT_NE(&first, &second);
  second.begin();
  first.finish();
  EXPECT_TRUE(posted.is_complete(so_far));
  EXPECT_FALSE(posted.is_done());
  second.finish();
  EXPECT_TRUE(posted.is_done());
}

TEST(posted_operations, a_wait_covers_the_generation_before) {
  PostedOperations posted;
  Completion& first = posted.pending();
  first.begin();
  EXPECT_FALSE(posted.is_complete(posted.generation()));  // another thread waits for the first
  Completion& second = posted.pending();
  second.begin();
  const std::uint64_t so_far = posted.generation();
  second.finish();
  EXPECT_FALSE(posted.is_complete(so_far));
  first.finish();
  EXPECT_TRUE(posted.is_complete(so_far));
}

TEST(posted_operations, copies_stay_until_their_generation_is_complete) {
  PostedOperations posted;
  std::vector<std::byte> source(8 * 1024, std::byte{1});
  Completion& first = posted.pending();
  first.begin();
  const Bytes copy = posted.copy(source);
  while (!posted.copy(source).empty()) {
  }
  ASSERT_TRUE(posted.begin_generation());
  source.assign(source.size(), std::byte{2});
  while (!posted.copy(source).empty()) {
  }
  EXPECT_FALSE(posted.begin_generation()) << "the first operation is in flight";
  EXPECT_EQ(copy.front(), std::byte{1});
  EXPECT_EQ(copy.back(), std::byte{1});
  first.finish();
  EXPECT_TRUE(posted.begin_generation());
}

}  // namespace
}  // namespace gondwana
