#include "engine/collectives/staged/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gondwana::staged {
namespace {

TEST(MemberPlaces, nodes_are_in_the_order_of_their_first_members) {
  const MemberPlaces map({7, 7, 3, 3});
  EXPECT_EQ(map.nodes(), 2U);
  EXPECT_EQ(map.place_of(1), (MemberPlaces::Place{.node = 0, .at = 1}));
  EXPECT_EQ(map.place_of(2), (MemberPlaces::Place{.node = 1, .at = 0}));
  EXPECT_TRUE(map.is_in_order());
  EXPECT_TRUE(map.is_even());
}

TEST(MemberPlaces, nodes_of_uneven_size_are_in_order_but_not_even) {
  const MemberPlaces map({0, 0, 0, 1, 2, 2});
  EXPECT_EQ(map.most(), 3U);
  EXPECT_TRUE(map.is_in_order());
  EXPECT_FALSE(map.is_even());
}

TEST(MemberPlaces, members_that_are_no_neighbours_are_out_of_order) {
  const MemberPlaces map({0, 1, 0, 1});
  EXPECT_TRUE(std::ranges::equal(map.members_of(0), std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(map.is_in_order());
  EXPECT_FALSE(map.is_even());
}

}  // namespace
}  // namespace gondwana::staged
