#include "run/remote/host_traces.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "observe/trace/wire.hpp"

namespace gondwana::launch {
namespace {

std::string events_of(std::uint32_t rank) {
  return trace::encode({.job = "0000abcd", .host = "a", .ranks = {{.rank = rank}}});
}

TEST(HostTraces, clocks_are_compared_by_the_fastest_ping) {
  HostTraces traces(1);
  EXPECT_TRUE(traces.on_pong(0, {.sent_ns = 1000, .time_ns = 5600}, 2000));
  EXPECT_TRUE(traces.on_pong(0, {.sent_ns = 3000, .time_ns = 7055}, 3100));
  EXPECT_TRUE(traces.on_pong(0, {.sent_ns = 4000, .time_ns = 9999}, 8000));
  ASSERT_TRUE(traces.add(0, {events_of(0), true}));
  const std::vector<trace::NodeTrace> nodes = traces.take();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].error_ns, 50);
  EXPECT_EQ(nodes[0].ahead_ns, 4005);
}

TEST(HostTraces, some_pings_at_once_are_enough) {
  HostTraces traces(1);
  int pings = 1;
  while (traces.on_pong(0, {.sent_ns = 1, .time_ns = 1}, 2)) ++pings;
  EXPECT_EQ(pings, 16);
}

TEST(HostTraces, parts_of_a_node_are_put_together_and_what_is_missing_is_told) {
  HostTraces traces(3);
  const std::string bytes = events_of(0);
  ASSERT_TRUE(traces.add(0, {bytes.substr(0, 5), false}));
  EXPECT_EQ(traces.fault(0), "they are incomplete");
  ASSERT_TRUE(traces.add(0, {bytes.substr(5), true}));
  ASSERT_TRUE(traces.add(0, {events_of(1), true}));
  EXPECT_FALSE(traces.fault(0));
  EXPECT_EQ(traces.fault(1), "it has sent none");
  EXPECT_FALSE(traces.add(2, {"no trace", true}));
  const std::vector<trace::NodeTrace> nodes = traces.take();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].ranks.size(), 2U);
}

}  // namespace
}  // namespace gondwana::launch
