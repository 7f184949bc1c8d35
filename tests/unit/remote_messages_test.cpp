// Active messages and updates between ranks of two nodes, over the loopback wire.
#include "engine/am/remote_messages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "support/loopback/loopback.hpp"

namespace gondwana {
namespace {

using Nodes = std::vector<std::shared_ptr<NodeMemory>>;

Nodes two_nodes() {
  Nodes nodes;
  for (std::uint32_t node = 0; node < 2; ++node) {
    auto memory =
        NodeMemory::create({.ranks = 1, .first = node, .node = node, .nodes = 2, .job_ranks = 2});
    GONDWANA_ASSERT(static_cast<bool>(memory), node);
    nodes.push_back(*std::move(memory));
  }
  return nodes;
}

// A rank that is alone on its node.
class Side {
 public:
  Side(const Nodes& nodes, const std::shared_ptr<MessageQueues>& boxes, Rank me)
      : wire_(std::make_unique<Loopback>(Loopback::Setup{nodes, me, boxes})),
        memory_(nodes[index(me)]),
        remote_(wire_, turn_, *memory_, me, 2) {}

  RemoteMessages* operator->() { return &remote_; }
  Wire& wire() { return wire_; }
  std::byte* arena(Rank me) { return memory_->window(me); }
  void progress() {
    while (wire_->progress()) {
    }
    remote_.move_on();
  }

 private:
  std::recursive_mutex turn_;
  Wire wire_;
  std::shared_ptr<NodeMemory> memory_;
  RemoteMessages remote_;
};

class RemoteMessagesTest : public testing::Test {
 protected:
  static constexpr std::size_t place = NodePlan::system_size;  // where the engine stores nothing

  void move_on() {
    for (int i = 0; i < 20; ++i) {  // a queue has no room for a whole window
      here_.progress();
      there_.progress();
    }
  }

  // Sends from here to there; false without credit.
  bool send(MessageClass sort, std::uint16_t handler, Bytes body = {}) {
    const std::optional<Draft> draft =
        here_->try_open(Rank(1), sort, body.empty() ? Payload::none : Payload::block);
    if (!draft) return false;
    *draft->message = {};
    draft->message->handler = handler;
    draft->message->payload_bytes = static_cast<std::uint32_t>(body.size());
    std::ranges::copy(body, draft->block.begin());
    here_->publish(*draft);
    return true;
  }

  // The handlers of the messages that have arrived.
  std::vector<std::uint16_t> handled(MessageClass sort, std::uint32_t most = 1000) {
    std::vector<std::uint16_t> handlers;
    there_->poll(sort, most, [&](RemoteMessages::MessageBuffer& buffer) {
      EXPECT_EQ(buffer.peer, Rank(0));
      handlers.push_back(buffer.packet.message.handler);
    });
    return handlers;
  }

  void update(std::uint64_t offset, Bytes bytes, std::uint64_t word_offset, std::uint64_t word) {
    here_->update(Rank(1), {offset, bytes, word_offset, word});
  }
  std::uint64_t word_there(std::size_t offset) {
    std::uint64_t word = 0;
    std::memcpy(&word, there_.arena(Rank(1)) + offset, sizeof(word));
    return word;
  }

  Nodes nodes_ = two_nodes();
  std::shared_ptr<MessageQueues> boxes_ = std::make_shared<MessageQueues>(2);
  Side here_{nodes_, boxes_, Rank(0)};
  Side there_{nodes_, boxes_, Rank(1)};
};

std::vector<std::byte> some_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251);
  return bytes;
}

TEST_F(RemoteMessagesTest, ALetterArrivesWithItsBlock) {
  const std::vector<std::byte> body = some_bytes(longest_medium);
  ASSERT_TRUE(send(MessageClass::request, 5, body));
  move_on();
  std::vector<std::byte> arrived;
  there_->poll(MessageClass::request, 1, [&](RemoteMessages::MessageBuffer& buffer) {
    EXPECT_EQ(buffer.packet.message.handler, 5);
    const Bytes block = Bytes(buffer.block).first(buffer.packet.head.bytes);
    arrived.assign(block.begin(), block.end());
  });
  EXPECT_EQ(arrived, body);
}

TEST_F(RemoteMessagesTest, OfABlockOnlyThePayloadTravels) {
  ASSERT_TRUE(send(MessageClass::reply, 1, some_bytes(3)));
  move_on();
  there_->poll(MessageClass::reply, 1, [](RemoteMessages::MessageBuffer& buffer) {
    EXPECT_EQ(buffer.packet.head.bytes, 3U);
  });
}

TEST_F(RemoteMessagesTest, RequestsNeedCreditWhichComesBackWhenTheyAreHandled) {
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    ASSERT_TRUE(send(MessageClass::request, static_cast<std::uint16_t>(i)));
  EXPECT_FALSE(send(MessageClass::request, 99));
  move_on();
  EXPECT_FALSE(send(MessageClass::request, 99)) << "nothing was handled yet";
  std::vector<std::uint16_t> expected(RemoteMessages::window / 2);
  std::iota(expected.begin(), expected.end(), std::uint16_t{0});
  EXPECT_EQ(handled(MessageClass::request, RemoteMessages::window / 2), expected);
  move_on();
  for (std::uint32_t i = 0; i < RemoteMessages::window / 2; ++i)
    EXPECT_TRUE(send(MessageClass::request, 7)) << i;
  EXPECT_FALSE(send(MessageClass::request, 99));
}

TEST_F(RemoteMessagesTest, LongRequestsNeedMoreCredits) {
  const std::vector<std::byte> body = some_bytes(longest_medium);
  constexpr std::uint32_t credits = 1 + longest_medium / 1024;
  constexpr std::uint32_t most = (RemoteMessages::window + credits - 1) / credits;
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < most; ++i) ASSERT_TRUE(send(MessageClass::request, 1, body)) << i;
    EXPECT_FALSE(send(MessageClass::request, 1));
    move_on();
    EXPECT_EQ(handled(MessageClass::request).size(), most);
    move_on();
  }
}

TEST_F(RemoteMessagesTest, RepliesNeedNone) {
  constexpr std::uint16_t many = 200;
  for (std::uint16_t i = 0; i < many; ++i) ASSERT_TRUE(send(MessageClass::reply, i));
  std::vector<std::uint16_t> all;
  for (int looks = 0; looks < 100 && all.size() < many; ++looks) {
    move_on();
    for (const std::uint16_t handler : handled(MessageClass::reply)) all.push_back(handler);
  }
  std::vector<std::uint16_t> expected(many);
  std::iota(expected.begin(), expected.end(), std::uint16_t{0});
  EXPECT_EQ(all, expected);
}

// No rank requested the notices, so a peer that handles none would have to keep all of them.
TEST_F(RemoteMessagesTest, NoticesNeedCreditAndAreHandledAsReplies) {
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    ASSERT_TRUE(send(MessageClass::notice, static_cast<std::uint16_t>(i)));
  EXPECT_FALSE(send(MessageClass::notice, 99));
  EXPECT_FALSE(send(MessageClass::request, 99)) << "the credit is that of requests";
  EXPECT_TRUE(send(MessageClass::reply, 50));
  move_on();
  EXPECT_FALSE(send(MessageClass::notice, 99)) << "nothing was handled yet";
  EXPECT_TRUE(handled(MessageClass::request).empty());
  EXPECT_EQ(handled(MessageClass::reply).size(), RemoteMessages::window + 1);
  move_on();
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    EXPECT_TRUE(send(MessageClass::notice, 7)) << i;
}

// This side would have to keep the replies, without a limit.
TEST_F(RemoteMessagesTest, WhoHandlesNoRepliesMaySendNoMoreRequests) {
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    ASSERT_TRUE(send(MessageClass::request, 1));
  move_on();
  ASSERT_EQ(handled(MessageClass::request).size(), RemoteMessages::window);
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i) {
    const std::optional<Draft> reply =
        there_->try_open(Rank(0), MessageClass::reply, Payload::none);
    ASSERT_TRUE(reply);
    *reply->message = {};
    there_->publish(*reply);
  }
  move_on();
  EXPECT_FALSE(send(MessageClass::request, 1)) << "the credit is back, the replies are unhandled";
  const auto ignore = [](RemoteMessages::MessageBuffer&) {};
  EXPECT_EQ(here_->poll(MessageClass::reply, 5, ignore), 5U);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(send(MessageClass::request, 1)) << i;
  EXPECT_FALSE(send(MessageClass::request, 1));
}

// Rank 1 has handled requests of rank 0, which may have ended since.
TEST_F(RemoteMessagesTest, AReceiptThatFindsNoRoomIsNotWaitedFor) {
  const auto reply = [&] {
    const std::optional<Draft> draft =
        there_->try_open(Rank(0), MessageClass::reply, Payload::none);
    *draft->message = {};
    there_->publish(*draft);
  };
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    ASSERT_TRUE(send(MessageClass::request, 1));
  move_on();
  int room = 0;
  for (; there_->is_all_sent(); ++room) reply();
  move_on();
  for (int i = 1; i < room; ++i) reply();
  ASSERT_TRUE(there_->is_all_sent());
  ASSERT_EQ(handled(MessageClass::request).size(), RemoteMessages::window);
  EXPECT_TRUE(there_->is_all_sent()) << "receipts alone wait";
  reply();
  EXPECT_FALSE(there_->is_all_sent());
}

// It covers all requests that were handled until it is sent.
TEST_F(RemoteMessagesTest, AtMostOneReceiptWaitsForAPeer) {
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    ASSERT_TRUE(send(MessageClass::request, 1));
  move_on();
  RemoteMessages::ActiveMessage packet{};
  packet.head = {.kind = RemoteMessages::Kind::update, .bytes = 1};  // malformed, so it is dropped
  const Bytes filling = std::as_bytes(std::span(&packet, 1));
  while (*there_.wire()->send_message(Rank(0), filling, {}, Departure::at_once) != Posted::busy) {
  }
  ASSERT_EQ(handled(MessageClass::request).size(), RemoteMessages::window);
  EXPECT_EQ(nodes_[1]->page(Rank(1)).traffic.pending.load(), 1U);
  move_on();
  EXPECT_EQ(nodes_[1]->page(Rank(1)).traffic.pending.load(), 0U);
  for (std::uint32_t i = 0; i < RemoteMessages::window; ++i)
    EXPECT_TRUE(send(MessageClass::request, 1)) << i;
}

TEST_F(RemoteMessagesTest, ACancelledLetterGivesItsCreditBack) {
  for (std::uint32_t i = 0; i < 3 * RemoteMessages::window; ++i) {
    const std::optional<Draft> draft =
        here_->try_open(Rank(1), MessageClass::request, Payload::none);
    ASSERT_TRUE(draft) << i;
    here_->cancel(*draft);
  }
  move_on();
  EXPECT_TRUE(handled(MessageClass::request).empty());
}

TEST_F(RemoteMessagesTest, UpdatesOfAnyLengthArriveBeforeTheirWord) {
  const std::vector<std::byte> bytes = some_bytes(3 * longest_medium + 5);
  const std::size_t word = place + 4 * longest_medium;
  update(place, bytes, word, 17);
  for (int looks = 0; looks < 100 && word_there(word) != 17; ++looks) {
    here_.progress();
    there_.progress();
  }
  ASSERT_EQ(word_there(word), 17U);
  EXPECT_EQ(std::memcmp(there_.arena(Rank(1)) + place, bytes.data(), bytes.size()), 0);
}

TEST_F(RemoteMessagesTest, AnUpdateMayBeAWordAlone) {
  update(0, {}, place, 3);
  update(0, {}, place, 4);
  move_on();
  EXPECT_EQ(word_there(place), 4U);
}

// The generation belongs to an engine that ended before this one began.
TEST_F(RemoteMessagesTest, WhatWasMeantForAnEarlierEngineIsDropped) {
  RemoteMessages::ActiveMessage packet{};
  packet.head = {.kind = RemoteMessages::Kind::request, .generation = 0xffff};
  const Bytes request = std::as_bytes(std::span(&packet, 1));
  const Result<Posted> posted =
      here_.wire()->send_message(Rank(1), request, {}, Departure::at_once);
  ASSERT_TRUE(posted && *posted == Posted::accepted);
  move_on();
  EXPECT_TRUE(handled(MessageClass::request).empty());
}

TEST_F(RemoteMessagesTest, WhatMakesNoSenseIsDropped) {
  const auto post = [&](Bytes head) {
    const Result<Posted> posted = here_.wire()->send_message(Rank(1), head, {}, Departure::at_once);
    ASSERT_TRUE(posted && *posted == Posted::accepted);
    move_on();
  };
  const auto bytes_of = [](const auto& object) { return std::as_bytes(std::span(&object, 1)); };
  post(some_bytes(5));
  RemoteMessages::ActiveMessage packet{};
  packet.head = {.kind = RemoteMessages::Kind::request,
                 .taken = 1000,
                 .bytes = 100};  // of a body that does not follow
  post(bytes_of(packet));
  constexpr std::uint16_t no_kind = 77;
  packet.head = {};
  std::memcpy(&packet.head.kind, &no_kind, sizeof(no_kind));
  post(bytes_of(packet));
  RemoteMessages::Change change{};
  change.head = {.kind = RemoteMessages::Kind::update};
  change.word = 1;
  const std::size_t end = nodes_[1]->plan().inbox_offset();
  for (const std::uint64_t beyond :
       {std::uint64_t{end}, ~std::uint64_t{0} - 7, std::uint64_t{place + 1}}) {
    change.word_offset = beyond;
    post(bytes_of(change));
  }
  change.offset = end + 1;
  change.word_offset = place;
  post(bytes_of(change));
  EXPECT_TRUE(handled(MessageClass::request).empty());
  EXPECT_EQ(word_there(place), 0U);
}

}  // namespace
}  // namespace gondwana
