// What a guardian writes into the control memory of its node.
#include "run/node/wire_up.hpp"

#include <gtest/gtest.h>

#include "memory/layout.hpp"

namespace gondwana::launch::test {
namespace {

const DeathPlace& place_of(const WireUp& wire, std::uint32_t rank) {
  const auto* control = reinterpret_cast<const std::byte*>(&wire.header());
  return *reinterpret_cast<const DeathPlace*>(control + ControlLayout::death(Rank(rank)));
}

TEST(WireUp, ranks_that_join_later_know_what_was_told_before_one_of_them_joined) {
  const NodeShare share{.ranks = 1,
                        .first = 6,
                        .node = 3,
                        .nodes = 2,
                        .job_ranks = 4,
                        .max_ranks = 0,
                        .job_max_ranks = 8};
  WireUp wire(share, 1, Environment{}, OnDeath::go_on, Replacement::empty);
  wire.join_later({6, 1}, 2);
  EXPECT_TRUE(wire.knows_changes(0));
  wire.announce_death({1, 0}, DeathKind::replaced_death);
  EXPECT_TRUE(wire.knows_changes(2)) << "a death and a start";
  EXPECT_FALSE(wire.knows_changes(3));
  wire.announce_replacement({{1, 1}, 0});
  wire.announce_arrival(5);
  ASSERT_TRUE(wire.join(0));
  EXPECT_EQ(place_of(wire, 1).number, 1U);
  EXPECT_EQ(place_of(wire, 1).running, 1U) << "its replacement runs";
  EXPECT_EQ(place_of(wire, 5).has_joined, 1U);
  EXPECT_EQ(place_of(wire, 4).has_joined, 0U);
}

}  // namespace
}  // namespace gondwana::launch::test
