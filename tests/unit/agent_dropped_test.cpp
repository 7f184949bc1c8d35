// Requests that an agent drops, and their counters. The test plays a rank of another node.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "network/networks.hpp"
#include "remote/protocol.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using network::Endpoint;
using remote::Batch;
using remote::Control;
using remote::Reply;
using remote::Request;

class AgentDropped : public testing::Test {
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
    agent_ = std::make_unique<AgentThread>(memory_, AgentThread::Manner{});
    peer_ = *other_->add_peer(agent_->contact().address());
  }

  // A batch of one request.
  struct Store {
    Batch batch;
    Request request;
  };
  static Store store(std::uint32_t number, std::uint64_t value) {
    return {{.tag = job_tag, .from = 1, .number = number, .node = 0},
            {.size = 8, .to = 0, .offset = NodePlan::system_size, .operand = value}};
  }
  template <typename Message>
  void send(const Message& message) {
    send_bytes(std::as_bytes(std::span(&message, 1)));
  }
  void send_hello(std::uint32_t from) {
    const Bytes address = other_->address();
    const Control hello{.tag = job_tag, .from = from, .size = address.size()};
    std::vector<std::byte> bytes(sizeof(hello) + address.size());
    std::ranges::copy(address, remote::write(bytes.data(), hello));
    send_bytes(bytes);
  }
  bool stores(std::uint64_t value) {
    auto& word =
        *reinterpret_cast<std::uint64_t*>(memory_->window(Rank(0)) + NodePlan::system_size);
    return polls_until([&] { return std::atomic_ref(word).load() == value; });
  }
  NodeAgent::Dropped stop() { return agent_->stop(); }
  // The message of the agent about a job that has ended.
  std::string ends_job() {
    const NodeHeader& header = memory_->header();
    const bool is_over = polls_until([&] { return header.is_over.load() != 0; });
    return is_over ? header.why.data() : "the job goes on";
  }

 private:
  void send_bytes(Bytes bytes) {
    const auto is_accepted = [&] {
      const Result<Posted> sent = other_->inject(peer_, bytes);
      return sent && *sent == Posted::accepted;
    };
    EXPECT_TRUE(polls_until(is_accepted));
  }
  // False: timeout.
  template <typename Done>
  bool polls_until(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto ignore = [](auto&&...) {};
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      other_->poll({ignore, ignore, ignore});
    }
    return false;
  }

  std::shared_ptr<NodeMemory> memory_;
  std::unique_ptr<Endpoint> other_;
  std::unique_ptr<AgentThread> agent_;
  network::Peer peer_ = network::no_peer;
};

TEST_F(AgentDropped, messages_that_come_twice_are_not_refused) {
  send(store(1, 11));
  send(store(1, 12));
  send(store(3, 13));
  send(store(3, 14));
  send(store(2, 15));
  EXPECT_TRUE(stores(13));
  const NodeAgent::Dropped dropped = stop();
  EXPECT_EQ(dropped.repeated, 2);
  EXPECT_EQ(dropped.refused, 0);
  EXPECT_EQ(dropped.misdirected, 0);
}

// The new process starts its batch numbers again, and late batches of its predecessor are not
// executed.
TEST_F(AgentDropped, a_process_that_replaces_another_begins_anew) {
  const std::uint32_t next = remote::number_of(1, 1);
  send(store(1, 11));
  send(store(3, 13));
  send_hello(next);
  send(store(1, 12));
  send(store(2, 14));
  Store first = store(1, 21);
  first.batch.from = next;
  send(first);
  EXPECT_TRUE(stores(21));
  send_hello(1);
  first.batch.number = 2;
  first.request.operand = 22;
  send(first);
  EXPECT_TRUE(stores(22));
  const NodeAgent::Dropped dropped = stop();
  EXPECT_EQ(dropped.repeated, 3) << "two batches and a hello";
  EXPECT_EQ(dropped.refused, 0);
}

TEST_F(AgentDropped, messages_of_others_are_told_from_those_for_nobody_here) {
  Store foreign = store(1, 11);
  foreign.batch.tag ^= 1;
  send(foreign);
  send(Reply{.tag = job_tag, .to = 1, .node = 1, .number = 1});
  send(store(1, 12));
  EXPECT_TRUE(stores(12));
  const NodeAgent::Dropped dropped = stop();
  EXPECT_EQ(dropped.refused, 1);
  EXPECT_EQ(dropped.misdirected, 1);
  EXPECT_EQ(dropped.repeated, 0);
}

// The rank would wait for its answer.
TEST_F(AgentDropped, a_batch_of_this_job_that_is_malformed_ends_the_job) {
  Store torn = store(1, 11);
  torn.request.size = 3;
  send(torn);
  EXPECT_TRUE(ends_job().find("cannot carry out a request of rank 1: it is malformed") !=
              std::string::npos);
  EXPECT_EQ(stop().refused, 1);
}

}  // namespace
}  // namespace gondwana::test
