#include "link/clock_difference.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "observe/trace/node_trace.hpp"

namespace gondwana::link {
namespace {

TEST(ClockDifference, the_fastest_exchange_counts) {
  ClockDifference clock;
  EXPECT_EQ(clock.ahead_ns(), 0);
  EXPECT_EQ(clock.error_ns(), 0);
  clock.add(1000, 5600, 2000);
  EXPECT_EQ(clock.ahead_ns(), 4100);
  clock.add(3000, 7055, 3100);
  clock.add(4000, 9999, 8000);
  EXPECT_EQ(clock.ahead_ns(), 4005);
  EXPECT_EQ(clock.error_ns(), 50);
}

TEST(ClockDifference, a_clock_may_be_behind) {
  ClockDifference clock;
  clock.add(1'000'000, 10, 1'000'020);
  EXPECT_EQ(clock.ahead_ns(), -1'000'000);
}

TEST(ClockDifference, nodes_have_one_clock_one_order_and_each_once) {
  ClockDifference clock;
  clock.add(0, 105, 10);
  std::vector<trace::NodeTrace> nodes{{.host = "here", .node = 1}};
  for (const std::uint32_t node : {2U, 0U, 1U})
    trace::add_node(nodes, {.host = "there", .node = node}, clock);
  ASSERT_EQ(nodes.size(), 3U);
  for (std::uint32_t node = 0; node < 3; ++node) EXPECT_EQ(nodes[node].node, node);
  EXPECT_EQ(nodes[1].host, "here");
  EXPECT_EQ(nodes[1].here(500), 500);
  EXPECT_EQ(nodes[0].here(500), 400);
  EXPECT_EQ(nodes[0].error_ns, 5);
}

}  // namespace
}  // namespace gondwana::link
