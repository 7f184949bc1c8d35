// The memory of a rank and of a node agent for peers without any traffic, in a job of 10,000 ranks
// on nodes of 64: the budget is 16 bytes for each peer.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <memory>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

constexpr std::uint32_t peers = 10'000;
constexpr std::uint32_t ranks_of_node = 64;
constexpr std::uint32_t nodes = (peers + ranks_of_node - 1) / ranks_of_node;
constexpr std::size_t budget = std::size_t{16} * peers;

// The first rank is alone on the first node.
constexpr NodeShare smallest{1, 0, 0, 2, 2};
constexpr NodeShare large{1, 0, 0, nodes, peers};

std::size_t allocated() {
  const struct mallinfo2 all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
}

class PerPeer : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    if (allocated() == 0) GTEST_SKIP() << "this allocator does not say how much it gave";
  }

  static std::shared_ptr<NodeMemory> memory_of(const NodeShare& share) {
    Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create(share);
    GONDWANA_ASSERT(static_cast<bool>(memory), share.nodes);
    return *std::move(memory);
  }
  static std::unique_ptr<NodeAgent> open_agent(const std::shared_ptr<NodeMemory>& memory) {
    Result<std::unique_ptr<NodeAgent>> agent =
        NodeAgent::open({.memory = memory, .job_tag = job_tag, .settings = loopback_network()});
    GONDWANA_ASSERT(static_cast<bool>(agent), 0);
    return *std::move(agent);
  }
};

// Bytes that `open` takes in the large job beyond the smallest, without one-time costs.
template <typename Open>
std::size_t growth(const Open& open, const std::shared_ptr<NodeMemory>& few,
                   const std::shared_ptr<NodeMemory>& many) {
  const auto bytes_with = [&](const std::shared_ptr<NodeMemory>& memory) {
    const std::size_t before = allocated();
    const auto opened = open(memory);
    return allocated() - before;
  };
  bytes_with(few);
  const std::size_t small = bytes_with(few);
  const std::size_t all = bytes_with(many);
  return all > small ? all - small : 0;
}

TEST_F(PerPeer, an_agent_holds_next_to_nothing_for_who_never_asked) {
  EXPECT_LT(growth(open_agent, memory_of(smallest), memory_of(large)), budget / 8);
}

TEST_F(PerPeer, a_rank_that_talks_to_one_peer_holds_a_word_for_each_node) {
  const auto few = memory_of(smallest);
  const auto many = memory_of(large);
  const std::unique_ptr<NodeAgent> agent = open_agent(few);
  for (const auto& memory : {few, many}) {
    for (std::uint32_t node = 0; node < memory->plan().nodes; ++node) {
      NodeInfo info = agent->contact().info();
      info.ranks =
          node == 0 ? NodeRanks(0, 1) : NodeRanks(1 + (node - 1) * ranks_of_node, ranks_of_node);
      memory->nodes().write(node, {info, agent->contact().address(), agent->contact().key()});
    }
  }
  const auto open_and_put = [](const std::shared_ptr<NodeMemory>& memory) {
    Result<std::unique_ptr<RemoteClient>> ofi = RemoteClient::open({.memory = memory,
                                                                    .me = Rank(0),
                                                                    .job_tag = job_tag,
                                                                    .settings = loopback_network(),
                                                                    .eager_limit = 0});
    GONDWANA_ASSERT(static_cast<bool>(ofi), 0);
    static const std::uint64_t word = 1;
    static Completion done;
    EXPECT_TRUE(
        (*ofi)->put({Rank(1), NodePlan::globals_offset}, std::as_bytes(std::span(&word, 1)), done));
    return *std::move(ofi);
  };
  EXPECT_LT(growth(open_and_put, few, many), budget / 8);
}

// The infos belong to the node: its ranks share them.
TEST_F(PerPeer, cards_of_nodes_are_within_the_budget) {
  const std::unique_ptr<NodeAgent> agent = open_agent(memory_of(smallest));
  const NodeContact& contact = agent->contact();
  const std::size_t each = sizeof(NodeEntry) + contact.address().size() + contact.key().size();
  EXPECT_LE(each * nodes, budget / 2);
}

}  // namespace
}  // namespace gondwana::test
