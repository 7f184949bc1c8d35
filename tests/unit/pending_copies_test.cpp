#include "spaces/kinds/pending_copies.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

TEST(PendingCopies, copies_up_to_a_number_finish_and_later_ones_do_not) {
  PendingCopies copies;
  Completion first;
  Completion second;
  copies.add(first);
  const std::uint64_t last = copies.last();
  copies.add(second);
  copies.finish(last);
  EXPECT_TRUE(first.done());
  EXPECT_FALSE(second.done());
  copies.finish(copies.last());
  EXPECT_TRUE(second.done());
}

TEST(PendingCopies, a_failure_is_of_the_copies_before_it) {
  PendingCopies copies;
  Completion first;
  Completion second;
  copies.add(first);
  copies.fail(copies.last(), {Errc::refused, "the device is lost"});
  copies.add(second);
  copies.finish(copies.last());
  ASSERT_TRUE(first.done());
  ASSERT_TRUE(first.has_failed());
  EXPECT_EQ(first.take_loss()->text, "the device is lost");
  EXPECT_TRUE(second.done());
  EXPECT_FALSE(second.has_failed());
}

}  // namespace
}  // namespace gondwana
