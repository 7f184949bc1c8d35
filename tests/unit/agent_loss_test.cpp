// The ranks of a node notice the loss of their node agent, which no other process watches.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using namespace std::chrono_literals;

// The lifeline of an agent to its ranks; the test holds the agent's end.
struct Lifeline {
  Lifeline() {
    std::array<int, 2> ends{};
    GONDWANA_ASSERT(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()) == 0, errno);
    of_ranks = UniqueFd(ends[0]);
    of_agent = UniqueFd(ends[1]);
  }
  UniqueFd of_ranks;
  UniqueFd of_agent;
};

// Rank 1, on one node with rank 2; rank 0 is on another node.
class AgentLoss : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    for (const NodeShare share : {NodeShare{1, 0, 0, 2, 3}, NodeShare{2, 1, 1, 2, 3}}) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create(share);
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    agents_ = start_agents(memory_);
  }

  std::unique_ptr<RemoteClient> open(int agent) {
    Result<std::unique_ptr<RemoteClient>> ofi = RemoteClient::open({.memory = memory_[1],
                                                                    .me = Rank(1),
                                                                    .job_tag = job_tag,
                                                                    .settings = loopback_network(),
                                                                    .agent = agent});
    GONDWANA_ASSERT(static_cast<bool>(ofi), agent);
    return *std::move(ofi);
  }

 private:
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
};

// Polls as often as a rank that sleeps on something else.
bool looks_until_lost(RemoteClient& ofi, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (ofi.losses().empty() && std::chrono::steady_clock::now() < end) {
    ofi.progress();
    std::this_thread::sleep_for(30ms);
  }
  return !ofi.losses().empty();
}

bool sleeps_until_lost(RemoteClient& ofi, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (ofi.losses().empty() && std::chrono::steady_clock::now() < end)
    if (ofi.may_sleep()) ofi.sleep(1ms);
  return !ofi.losses().empty();
}

TEST_F(AgentLoss, is_noticed_by_who_sleeps_on_something_else) {
  Lifeline line;
  const auto ofi = open(line.of_ranks.get());
  EXPECT_FALSE(looks_until_lost(*ofi, 1s));
  line.of_agent.reset();
  ASSERT_TRUE(looks_until_lost(*ofi, 20s));
  EXPECT_EQ(ofi->losses()[0].code, Errc::peer_lost);
  std::array<char, NodeInfo::longest_host> host{};
  ::gethostname(host.data(), host.size() - 1);
  EXPECT_EQ(ofi->lost(Rank(0))->text,
            fmt::format("the node agent on host {} has ended, was it killed? No other process can "
                        "reach the memory of ranks 1 to 2",
                        host.data()));
}

TEST_F(AgentLoss, is_noticed_by_who_sleeps_on_the_wire) {
  Lifeline line;
  const auto ofi = open(line.of_ranks.get());
  line.of_agent.reset();
  EXPECT_TRUE(sleeps_until_lost(*ofi, 20s));
}

TEST_F(AgentLoss, is_left_to_the_guardian_where_there_is_one) {
  const auto ofi = open(-1);
  EXPECT_FALSE(looks_until_lost(*ofi, 1s));
}

}  // namespace
}  // namespace gondwana::test
