// The loss of a node is only the loss of its ranks: operations to others continue.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "remote/client/client.hpp"
#include "support/nodes.hpp"

namespace gondwana::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t offset = NodePlan::globals_offset;
constexpr std::size_t largest = std::size_t{1} << 20;

// Rank 0 is the client. Each rank has its own node.
class LostPeer : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    for (std::uint32_t node = 0; node < 3; ++node)
      memory_.push_back(*NodeMemory::create(NodeShare{1, node, node, 3, 3}));
    agents_ = start_agents(memory_);
    client_ = *RemoteClient::open(
        {.memory = memory_[0], .me = Rank(0), .job_tag = job_tag, .settings = loopback_network()});
  }

  bool progress_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      client_->progress();
    }
    return false;
  }
  Result<Posted> post(const std::function<Result<Posted>()>& attempt) {
    Result<Posted> posted = Posted::busy;
    progress_until([&] {
      posted = attempt();
      return !posted || *posted == Posted::accepted;
    });
    return posted;
  }
  Result<Posted> put(Rank to, Completion& done) {
    return post([&] { return client_->put({to, offset}, bytes_, done); });
  }
  bool has_arrived(Rank at) {
    return std::memcmp(memory_[index(at)]->window(at) + offset, &word_, sizeof(word_)) == 0;
  }

  const std::uint64_t word_ = 7;
  const Bytes bytes_ = std::as_bytes(std::span(&word_, 1));
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::vector<std::byte> target_ = std::vector<std::byte>(largest);  // longer than the client
  std::unique_ptr<RemoteClient> client_;
};

TEST_F(LostPeer, leaves_the_others_alive) {
  memory_[0]->entry(1).state.store(NodeState::silent);
  ASSERT_TRUE(progress_until([&] { return client_->lost(Rank(1)) != nullptr; }));
  EXPECT_NE(client_->lost(Rank(1))->text.find("rank 1 on host"), std::string::npos);
  EXPECT_EQ(client_->lost(Rank(2)), nullptr);
  Completion done;
  EXPECT_FALSE(put(Rank(1), done));
  EXPECT_FALSE(client_->write({Rank(1), offset}, bytes_, done));
  EXPECT_FALSE(client_->send_message(Rank(1), bytes_, {}, Departure::at_once));
  ASSERT_TRUE(put(Rank(2), done));
  EXPECT_TRUE(client_->send_message(Rank(2), {}, {}, Departure::optional)) << "at most busy";
  ASSERT_TRUE(progress_until([&] { return done.done(); }));
  EXPECT_EQ(done.take_loss(), nullptr);
  EXPECT_TRUE(has_arrived(Rank(2)));
  EXPECT_EQ(client_->losses().size(), 1U);
}

TEST_F(LostPeer, fails_what_is_in_flight_to_it) {
  Completion done;
  Completion reading;
  ASSERT_TRUE(put(Rank(1), done));
  ASSERT_TRUE(progress_until([&] { return done.done(); }));
  agents_[1]->stop();
  ASSERT_TRUE(put(Rank(1), done));
  ASSERT_TRUE(post([&] { return client_->read(target_, {Rank(1), offset}, reading); }));
  ASSERT_TRUE(put(Rank(2), done));
  for (int i = 0; i < 100; ++i) client_->progress();
  EXPECT_FALSE(done.done());
  memory_[0]->entry(1).state.store(NodeState::cut_off);
  ASSERT_TRUE(progress_until([&] { return done.done() && reading.done(); }));
  EXPECT_EQ(done.take_loss(), client_->lost(Rank(1)));
  EXPECT_EQ(done.take_loss(), nullptr) << "told once";
  EXPECT_EQ(reading.take_loss(), client_->lost(Rank(1)));
  EXPECT_TRUE(has_arrived(Rank(2)));
  EXPECT_TRUE(progress_until([&] { return client_->departed(); }));
}

// Only a fault that no node can survive is a loss of all.
TEST_F(LostPeer, may_be_everybody) {
  Completion done;
  ASSERT_TRUE(put(Rank(1), done));
  memory_[0]->header().is_over.store(1);
  ASSERT_TRUE(progress_until([&] { return client_->lost(Rank(1)) != nullptr; }));
  EXPECT_NE(client_->lost(Rank(2)), nullptr);
  EXPECT_FALSE(put(Rank(2), done));
  EXPECT_TRUE(done.done());
}

// The door receives the error and may continue.
TEST(lost_peer, is_an_error_of_its_operations_and_of_no_others) {
  if (!has_network()) GTEST_SKIP() << "no libfabric here";
  const JobNodes nodes(Over::ofi_alone, 3, 1);
  std::vector<std::string> told;
  const auto engine_of = [&](Rank rank) {
    Engine::Setup setup{.rank = rank, .ranks = 3, .memory = nodes.home(rank)};
    setup.wire = nodes.wire(rank);
    setup.on_lost = [&told](const Error& loss) { told.push_back(loss.text); };
    return get_or_abort(Engine::create(std::move(setup)));
  };
  std::latch end(1);
  std::vector<std::jthread> others;
  for (const Rank rank : {Rank(1), Rank(2)})
    others.emplace_back([&, rank] {
      const std::unique_ptr<Engine> engine = engine_of(rank);
      end.wait();
    });
  std::unique_ptr<Engine> engine = engine_of(Rank(0));
  RemoteAccess& remote = engine->remote();
  Lane& lane = engine->default_lane();
  std::uint64_t word = 7;
  const auto bytes = std::as_writable_bytes(std::span(&word, 1));
  const Remote lost{Rank(2), offset};
  EXPECT_TRUE(remote.put(lane, lost, bytes));
  remote.drain(lane);
  EXPECT_FALSE(lane.failed());

  nodes.home(Rank(0))->entry(2).state.store(NodeState::silent);
  const auto limit = std::chrono::steady_clock::now() + 20s;
  while (told.empty() && std::chrono::steady_clock::now() < limit) remote.progress();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("rank 2 on host"), std::string::npos) << told[0];
  EXPECT_FALSE(remote.put(lane, lost, bytes));
  EXPECT_EQ(lane.take_error()->text, told[0]);
  EXPECT_FALSE(remote.get(lane, bytes, lost));
  EXPECT_FALSE(remote.request(lane, lost, {AtomicOp::add, AtomicType::uint64, 1}, "add"));
  EXPECT_EQ(lane.take_error()->code, Errc::peer_lost);

  EXPECT_TRUE(remote.put(lane, {Rank(1), offset}, bytes));
  word = 0;
  EXPECT_TRUE(remote.get(lane, bytes, {Rank(1), offset}));
  EXPECT_EQ(word, 7U);
  remote.drain(lane);
  EXPECT_FALSE(lane.failed());
  engine.reset();
  end.count_down();
}

}  // namespace
}  // namespace gondwana::test
