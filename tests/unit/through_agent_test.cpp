// Ranks that send their messages through the agents of their nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

#include "remote/client/client.hpp"
#include "remote/route_choice.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

constexpr std::size_t offset = NodePlan::globals_offset;

// Ranks 0 and 1 on one node, rank 2 on another.
class ThroughAgent : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    for (const NodeShare share : {NodeShare{2, 0, 0, 2, 3}, NodeShare{1, 2, 1, 2, 3}}) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create(share);
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    agents_ = start_agents(memory_, {.carries = true, .peer_timeout_s = 2});
    for (std::uint32_t rank = 0; rank < 3; ++rank) ranks_.push_back(open(Rank(rank)));
  }

  RemoteClient& rank(std::uint32_t number) { return *ranks_[number]; }
  std::byte* arena(std::uint32_t number) const {
    return memory_[number == 2 ? 1 : 0]->window(Rank(number));
  }
  void end_agent(std::uint32_t node) { agents_[node].reset(); }

  // False: timeout.
  static bool progress_until(RemoteClient& ofi, const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      ofi.progress();
    }
    return false;
  }
  static void post(RemoteClient& ofi, const std::function<Result<Posted>()>& attempt) {
    ASSERT_TRUE(progress_until(ofi, [&] {
      const Result<Posted> posted = attempt();
      EXPECT_TRUE(posted) << posted.error().text;
      return !posted || *posted == Posted::accepted;
    }));
  }
  static bool complete(RemoteClient& ofi, Completion& done) {
    return progress_until(ofi, [&] { return done.done(); });
  }

 private:
  std::unique_ptr<RemoteClient> open(Rank me) {
    Result<std::unique_ptr<RemoteClient>> ofi =
        RemoteClient::open({.memory = memory_[me == Rank(2) ? 1 : 0],
                            .me = me,
                            .job_tag = job_tag,
                            .settings = loopback_network(),
                            .through_agent = true});
    GONDWANA_ASSERT(static_cast<bool>(ofi), index(me));
    return *std::move(ofi);
  }

  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::vector<std::unique_ptr<RemoteClient>> ranks_;
};

std::vector<std::byte> bytes_of(std::size_t size, std::size_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed + i * 31);
  return bytes;
}

TEST_F(ThroughAgent, puts_and_gets_of_every_size_bring_their_bytes) {
  const std::size_t most = rank(0).limits().messages_up_to;
  EXPECT_GE(most, 64U * 1024);
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{100}, most}) {
    const auto sent = bytes_of(size, size);
    Completion done;
    post(rank(0), [&] { return rank(0).put({Rank(2), offset}, sent, done); });
    ASSERT_TRUE(complete(rank(0), done));
    EXPECT_TRUE(std::ranges::equal(sent, Bytes(arena(2) + offset, size))) << size;
    std::vector<std::byte> received(size);
    post(rank(1), [&] { return rank(1).get(received, {Rank(2), offset}, done); });
    ASSERT_TRUE(complete(rank(1), done));
    EXPECT_EQ(received, sent) << size;
  }
}

TEST_F(ThroughAgent, more_than_the_ring_holds_arrives_whole) {
  constexpr std::size_t size = 64 * 1024;
  constexpr std::size_t pieces = 40;
  const auto sent = bytes_of(size * pieces, 5);
  Completion done;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Remote place{Rank(2), offset + i * size};
    post(rank(0), [&] { return rank(0).put(place, Bytes(sent).subspan(i * size, size), done); });
  }
  ASSERT_TRUE(complete(rank(0), done));
  EXPECT_TRUE(std::ranges::equal(sent, Bytes(arena(2) + offset, sent.size())));
  std::vector<std::byte> received(sent.size());
  for (std::size_t i = 0; i < pieces; ++i) {
    const MutableBytes here = MutableBytes(received).subspan(i * size, size);
    const Remote place{Rank(2), offset + i * size};
    post(rank(0), [&] { return rank(0).get(here, place, done); });
  }
  ASSERT_TRUE(complete(rank(0), done));
  EXPECT_EQ(received, sent);
}

// The agent holds its messages, more of them than the ring has room for.
TEST_F(ThroughAgent, a_rank_that_does_not_call_keeps_nobody_waiting) {
  const auto text = bytes_of(60'000, 9);
  constexpr std::size_t letters = 12;
  std::vector<std::vector<std::byte>> received;
  rank(0).listen(
      [&](Rank, Bytes message) { received.emplace_back(message.begin(), message.end()); });
  for (std::size_t i = 0; i < letters; ++i)
    post(rank(2), [&] { return rank(2).send_message(Rank(0), text, {}, Departure::at_once); });
  Completion done;
  const auto sent = bytes_of(3000, 2);
  post(rank(2), [&] { return rank(2).put({Rank(1), offset}, sent, done); });
  ASSERT_TRUE(complete(rank(2), done));
  std::uint64_t old = 0;
  auto* old_bytes = reinterpret_cast<std::byte*>(&old);
  const AtomicRequest add{AtomicOp::add, AtomicType::uint64, 4};
  post(rank(1), [&] { return rank(1).atomic({Rank(2), offset + 4096}, add, old_bytes, done); });
  ASSERT_TRUE(complete(rank(1), done));
  ASSERT_TRUE(progress_until(rank(0), [&] { return received.size() == letters; }));
  EXPECT_TRUE(std::ranges::all_of(received, [&](const auto& each) { return each == text; }));
}

TEST_F(ThroughAgent, a_node_that_is_silent_is_lost) {
  Completion done;
  const auto word = bytes_of(8, 1);
  post(rank(0), [&] { return rank(0).put({Rank(2), offset}, word, done); });
  ASSERT_TRUE(complete(rank(0), done));
  end_agent(1);
  EXPECT_TRUE(progress_until(rank(0), [&] {
    return !rank(0).put({Rank(2), offset}, word, done) || rank(0).lost(Rank(2));
  }));
  ASSERT_NE(rank(0).lost(Rank(2)), nullptr);
  EXPECT_NE(rank(0).lost(Rank(2))->text.find("rank 2 on host"), std::string::npos)
      << rank(0).lost(Rank(2))->text;
  EXPECT_TRUE(complete(rank(0), done));
}

TEST(through_agent, is_the_way_of_large_jobs_unless_something_else_is_said) {
  EXPECT_FALSE(remote::goes_through_agents(RouteOption::automatic, 1000));
  EXPECT_TRUE(remote::goes_through_agents(RouteOption::automatic, 1001));
  EXPECT_TRUE(remote::goes_through_agents(RouteOption::agent, 2));
  EXPECT_FALSE(remote::goes_through_agents(RouteOption::endpoint, 100'000));
}

}  // namespace
}  // namespace gondwana::test
