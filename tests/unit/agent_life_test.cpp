// How a guardian handles its node agent, without a process, a socket or a clock.
#include "run/node/agent_life.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

namespace gondwana::launch {
namespace {

using Sentences = std::vector<std::string>;

TEST(AgentLife, lines_are_told_when_they_are_whole) {
  AgentLife agent("h");
  EXPECT_EQ(agent.serve(), "");
  EXPECT_EQ(agent.hear("gondwana: node agent: slow"), Sentences{});
  EXPECT_EQ(
      agent.hear(" network\nother\nrest"),
      (Sentences{"the node agent on host h: slow network", "the node agent on host h: other"}));
}

TEST(AgentLife, what_it_said_before_it_serves_is_told_then) {
  AgentLife agent("h");
  EXPECT_EQ(agent.hear("gondwana: node agent: a\nb\n"), Sentences{});
  EXPECT_EQ(agent.serve(), "the node agent on host h: a / b");
}

TEST(AgentLife, one_that_ends_before_it_serves_has_said_why) {
  AgentLife agent("h");
  agent.hear("no network\n");
  const AgentLost lost = agent.end(7, 1 << 8, "", 5);
  EXPECT_EQ(lost.error_text, "the node agent on host h: no network");
  EXPECT_EQ(lost.pid, 7);
  EXPECT_EQ(lost.pause_ns, 5U);
  agent.serve();
  EXPECT_EQ(agent.end(7, 1 << 8, "", 5).error_text, "");
}

TEST(AgentLife, the_known_fault_of_ucx_is_told_for_that_version_and_signal) {
  const AgentLife agent("h");
  EXPECT_TRUE(
      agent.end(7, SIGABRT, "UCX 1.13.1", 0).fault.starts_with(". UCX 1.13 sometimes aborts"));
  EXPECT_EQ(agent.end(7, SIGABRT, "UCX 1.14.0", 0).fault, "");
  EXPECT_EQ(agent.end(7, SIGKILL, "UCX 1.13.1", 0).fault, "");
}

}  // namespace
}  // namespace gondwana::launch
