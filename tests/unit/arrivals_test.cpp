// Messages of one rank as another one receives them.
#include "remote/client/arrivals.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "memory/node_memory.hpp"
#include "support/recorded_route.hpp"

namespace gondwana::remote {
namespace {

constexpr std::uint64_t job_tag = 77;

// One of two ranks, on a node of its own.
struct Side {
  explicit Side(std::uint32_t rank, std::uint32_t incarnation = 0)
      : memory(*NodeMemory::create({1, rank, rank, 2, 2})), nodes(memory), me{rank} {
    for (std::uint32_t node = 0; node < 2; ++node)
      memory->entry(node).info.ranks = NodeRanks(node, 1);
    streams = std::make_unique<Streams>(Streams::Setup{.route = route,
                                                       .memory = *memory,
                                                       .nodes = nodes,
                                                       .me = me,
                                                       .incarnation = incarnation,
                                                       .job_tag = job_tag,
                                                       .batch_limit = 4096,
                                                       .agent = -1});
    sent = std::make_unique<SentMessages>(*streams, nodes, 2);
    arrivals = std::make_unique<Arrivals>(*streams, *sent, memory->plan(), me);
    arrivals->queue().listen([this](Rank /*from*/, Bytes message) {
      received.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
    });
    arrivals->queue().deliver();
  }

  bool send(const std::string& text, Departure departure) {
    const Result<Posted> posted = sent->send(Rank(1 - index(me)), std::as_bytes(std::span(text)),
                                             {}, departure, [this] { ++full; });
    return posted && *posted == Posted::accepted;
  }
  // What the other one has sent so far, in its order.
  void take_from(Side& other) {
    for (const std::vector<std::byte>& message : other.route.messages) arrivals->take(message);
    other.route.messages.clear();
  }

  std::shared_ptr<NodeMemory> memory;
  NodeInfos nodes;
  Rank me;
  test::RecordedRoute route;
  std::unique_ptr<Streams> streams;
  std::unique_ptr<SentMessages> sent;
  std::unique_ptr<Arrivals> arrivals;
  std::vector<std::string> received;
  int full = 0;
};

TEST(arrivals, messages_that_gather_come_together_and_in_order) {
  Side sender(0);
  Side receiver(1);
  ASSERT_TRUE(sender.send("one", Departure::may_wait));
  ASSERT_TRUE(sender.send("two", Departure::may_wait));
  EXPECT_TRUE(sender.route.messages.empty());
  EXPECT_FALSE(sender.sent->have_departed());
  EXPECT_FALSE(sender.sent->flush()) << "it has grown since the last look";
  EXPECT_TRUE(sender.sent->flush());
  EXPECT_EQ(sender.route.messages.size(), 1);
  ASSERT_TRUE(sender.send("three", Departure::at_once));
  receiver.take_from(sender);
  EXPECT_EQ(receiver.received, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(receiver.arrivals->refused(), 0);
  EXPECT_TRUE(sender.sent->have_departed());
}

TEST(arrivals, full_batch_leaves_and_the_caller_hears_of_it) {
  Side sender(0);
  Side receiver(1);
  const std::string text(512, 'x');
  int count = 0;
  for (; sender.full == 0; ++count) ASSERT_TRUE(sender.send(text, Departure::may_wait));
  receiver.take_from(sender);
  EXPECT_EQ(receiver.received.size(), count);
}

TEST(arrivals, messages_of_another_job_or_cut_short_are_refused) {
  Side sender(0);
  Side receiver(1);
  ASSERT_TRUE(sender.send("one", Departure::at_once));
  std::vector<std::byte> message = sender.route.messages.front();
  receiver.arrivals->take(Bytes(message).first(8));
  message.front() ^= std::byte{1};
  receiver.arrivals->take(message);
  EXPECT_EQ(receiver.arrivals->refused(), 2);
  EXPECT_TRUE(receiver.received.empty());
  receiver.take_from(sender);
  EXPECT_EQ(receiver.received, std::vector<std::string>{"one"});
}

TEST(arrivals, first_message_of_a_new_incarnation_renews_its_rank) {
  Side receiver(1);
  {
    Side sender(0);
    ASSERT_TRUE(sender.send("one", Departure::at_once));
    ASSERT_TRUE(receiver.send("before", Departure::may_wait));
    receiver.take_from(sender);
  }
  Side sender(0, 1);
  ASSERT_TRUE(sender.send("two", Departure::at_once));
  receiver.take_from(sender);
  EXPECT_EQ(receiver.received, (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(receiver.sent->have_departed()) << "what was for the other process is dropped";
  ASSERT_TRUE(receiver.send("after", Departure::at_once));
  sender.take_from(receiver);
  EXPECT_EQ(sender.received, std::vector<std::string>{"after"});
}

}  // namespace
}  // namespace gondwana::remote
