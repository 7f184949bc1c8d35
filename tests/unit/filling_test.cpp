#include "network/ofi/filling.hpp"

#include <gtest/gtest.h>

namespace gondwana::ofi {
namespace {

TEST(filling, messages_in_order_end_with_the_one_that_gives_the_buffer_back) {
  Filling filling(1000, 300);
  filling.add(0, 400);
  filling.add(400, 300);
  EXPECT_FALSE(filling.is_done());
  filling.add(700, 1);
  filling.give_back();
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, large_message_may_come_behind_the_last_one) {
  Filling filling(1000, 300);
  filling.add(500, 100);
  filling.add(600, 200);
  filling.give_back();
  EXPECT_FALSE(filling.is_done()) << "the first 500 bytes are under way";
  filling.add(100, 400);
  EXPECT_FALSE(filling.is_done());
  filling.add(0, 100);
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, buffer_given_back_alone_waits_for_what_fills_it) {
  Filling filling(1000, 300);
  filling.add(0, 100);
  filling.give_back();
  EXPECT_FALSE(filling.is_done()) << "there is room: something is under way behind it";
  filling.add(100, 900);
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, small_gaps_are_those_of_a_provider_that_aligns) {
  Filling filling(1000, 300);
  filling.add(0, 10);
  filling.add(64, 600);
  filling.add(704, 100);
  filling.give_back();
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, message_that_does_not_fit_ends_the_buffer) {
  Filling filling(1000, 300);
  filling.add(400, 100);
  filling.fail(500, 501);
  EXPECT_TRUE(filling.is_given_back());
  EXPECT_FALSE(filling.is_done()) << "the first 400 bytes are under way";
  filling.add(0, 400);
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, message_that_fails_but_fits_leaves_the_rest) {
  Filling filling(1000, 300);
  filling.fail(0, 700);
  EXPECT_FALSE(filling.is_given_back());
  filling.add(700, 100);
  filling.give_back();
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, length_that_a_stranger_claims_is_no_number_to_add) {
  Filling filling(1000, 300);
  filling.fail(0, ~std::size_t{0});
  EXPECT_TRUE(filling.is_done());
  filling = Filling(1000, 300);
  filling.fail(5000, 1);
  filling.add(0, 1000);
  EXPECT_TRUE(filling.is_done());
}

TEST(filling, message_that_failed_somewhere_keeps_the_buffer) {
  Filling filling(1000, 300);
  filling.fail();
  filling.add(0, 1000);
  filling.give_back();
  EXPECT_FALSE(filling.is_done());
}

}  // namespace
}  // namespace gondwana::ofi
