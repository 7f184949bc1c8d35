#include "engine/collectives/staged/retired_places.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

TEST(RetiredPlaces, a_place_has_no_owner_while_messages_may_arrive) {
  RetiredPlaces places;
  places.add({.scratch = 4096}, 1000);
  EXPECT_FALSE(places.take(1000));
  EXPECT_FALSE(places.take(1000 + RetiredPlaces::rest_ns - 1));
  EXPECT_EQ(places.take(1000 + RetiredPlaces::rest_ns)->scratch, 4096U);
  EXPECT_FALSE(places.take(1000 + 2 * RetiredPlaces::rest_ns)) << "it was taken";
}

TEST(RetiredPlaces, the_oldest_comes_first) {
  RetiredPlaces places;
  places.add({.scratch = 1}, 0);
  places.add({.scratch = 2}, 10);
  EXPECT_EQ(places.take(RetiredPlaces::rest_ns)->scratch, 1U);
  EXPECT_FALSE(places.take(RetiredPlaces::rest_ns));
  EXPECT_EQ(places.take(RetiredPlaces::rest_ns + 10)->scratch, 2U);
}

}  // namespace
}  // namespace gondwana
