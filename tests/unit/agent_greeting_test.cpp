// An agent watches another node. The test plays the agent of that node with its own endpoint.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "network/networks.hpp"
#include "remote/protocol.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using network::Endpoint;
using remote::Control;
using remote::MessageKind;

class AgentGreeting : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, 0, 0, 2, 2});
    ASSERT_TRUE(memory) << memory.error().text;
    memory_ = *std::move(memory);
    Result<std::unique_ptr<Endpoint>> other =
        network::open_endpoint(loopback_network(), {.buffers = 4, .longest = 1024});
    ASSERT_TRUE(other) << other.error().text;
    other_ = *std::move(other);
    watch_other();
    agent_ = std::make_unique<AgentThread>(memory_, AgentThread::Manner{.peer_timeout_s = 4});
  }

  // False: timeout, here or in the agent.
  template <typename Done>
  bool receives(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end && state() == NodeState::known) {
      if (done()) return true;
      poll();
    }
    return done();
  }
  std::uint32_t hellos() const { return hellos_; }
  std::uint32_t beats() const { return beats_; }

 private:
  void watch_other() {
    NodeEntry& entry = memory_->entry(1);
    memory_->nodes().write(1, NodeContact({}, other_->address(), {}));
    entry.is_used.store(1, std::memory_order_relaxed);
    entry.state.store(NodeState::known, std::memory_order_release);
  }
  NodeState state() const { return memory_->entry(1).state.load(std::memory_order_acquire); }
  void poll() {
    const auto count = [this](Bytes bytes) {
      const auto control = remote::read<Control>(bytes);
      if (control) (control->kind == MessageKind::hello ? hellos_ : beats_)++;
    };
    const auto ignore = [](auto&&...) {};
    other_->poll({count, ignore, ignore});
  }

  std::shared_ptr<NodeMemory> memory_;
  std::unique_ptr<Endpoint> other_;
  std::unique_ptr<AgentThread> agent_;
  std::uint32_t hellos_ = 0;
  std::uint32_t beats_ = 0;
};

// The network may lose a hello, and an agent cannot answer a node before its first hello.
TEST_F(AgentGreeting, is_said_again_until_it_is_answered) {
  EXPECT_TRUE(receives([this] { return hellos() >= 3; })) << hellos();
  EXPECT_TRUE(receives([this] { return beats() >= 1; })) << beats();
}

}  // namespace
}  // namespace gondwana::test
