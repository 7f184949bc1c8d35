// Messages that their receiver may no longer need, such as receipts: it may have ended.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

// Two ranks, each on its own node.
class EndedPeer : public testing::Test {
 protected:
  void start(std::string_view library) {
    for (const NodeShare share : {NodeShare{1, 0, 0, 2, 2}, NodeShare{1, 1, 1, 2, 2}})
      memory_.push_back(*NodeMemory::create(share));
    agents_ = start_agents(memory_);
    for (std::uint32_t rank = 0; rank < 2; ++rank)
      ranks_.push_back(*RemoteClient::open({.memory = memory_[rank],
                                            .me = Rank(rank),
                                            .job_tag = job_tag,
                                            .settings = loopback_network(library)}));
  }

  void end_peer() { ranks_.pop_back(); }
  RemoteClient& here() { return *ranks_[0]; }

  // Polls until the network accepts the message or refuses it for good.
  Result<Posted> send(Departure departure) {
    const std::vector<std::byte> text(8);
    for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end;) {
      Result<Posted> posted = here().send_message(Rank(1), text, {}, departure);
      if (!posted || *posted == Posted::accepted) return posted;
      for (const auto& rank : ranks_) rank->progress();
    }
    return Posted::busy;
  }

 private:
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::vector<std::unique_ptr<RemoteClient>> ranks_;
};

TEST_F(EndedPeer, an_optional_message_is_not_waited_for) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  start({});
  const Result<Posted> posted = send(Departure::optional);
  ASSERT_TRUE(posted && *posted == Posted::accepted);
  EXPECT_TRUE(here().departed());
}

TEST_F(EndedPeer, a_message_is_waited_for_otherwise) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  start({});
  const Result<Posted> posted = send(Departure::at_once);
  ASSERT_TRUE(posted && *posted == Posted::accepted);
  EXPECT_FALSE(here().departed());
}

// UCX refuses messages that cannot arrive; with libfabric they wait.
TEST_F(EndedPeer, an_optional_message_to_a_rank_that_has_ended_is_no_loss) {
  if (!has_network("ucx")) GTEST_SKIP() << "no UCX here";
  start("ucx");
  end_peer();
  const Result<Posted> optional = send(Departure::optional);
  ASSERT_TRUE(optional) << optional.error().text;
  EXPECT_EQ(*optional, Posted::accepted);
  EXPECT_EQ(here().lost(Rank(1)), nullptr);
  EXPECT_FALSE(send(Departure::at_once));
  EXPECT_NE(here().lost(Rank(1)), nullptr);
}

}  // namespace
}  // namespace gondwana::test
