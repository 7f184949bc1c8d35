#include "remote/client/message_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gondwana::remote {
namespace {

using Received = std::vector<std::string>;

MessageReceiver into(Received& received) {
  return [&received](Rank from, Bytes message) {
    received.push_back(std::to_string(index(from)) + ": " +
                       std::string(reinterpret_cast<const char*>(message.data()), message.size()));
  };
}

bool take(MessageQueue& room, std::uint32_t from, std::uint32_t number, const std::string& text) {
  return room.take({Rank(from), number, std::as_bytes(std::span(text))});
}

TEST(message_queue, mail_is_handed_over_as_it_comes) {
  MessageQueue room;
  Received received;
  room.listen(into(received));
  EXPECT_FALSE(room.deliver()) << "nothing was kept";
  EXPECT_TRUE(take(room, 3, 1, "a"));
  EXPECT_TRUE(take(room, 0, 1, "b"));
  EXPECT_TRUE(take(room, 3, 2, ""));
  EXPECT_EQ(received, (Received{"3: a", "0: b", "3: "}));
}

TEST(message_queue, what_comes_too_early_waits_for_what_was_sent_before) {
  MessageQueue room;
  Received received;
  room.listen(into(received));
  room.deliver();
  EXPECT_TRUE(take(room, 1, 3, "c"));
  EXPECT_TRUE(take(room, 1, 2, "b"));
  EXPECT_TRUE(received.empty());
  EXPECT_TRUE(take(room, 0, 1, "of another"));
  EXPECT_TRUE(take(room, 1, 1, "a"));
  EXPECT_TRUE(take(room, 1, 4, "d"));
  EXPECT_EQ(received, (Received{"0: of another", "1: a", "1: b", "1: c", "1: d"}));
}

TEST(message_queue, mail_is_kept_until_somebody_listens) {
  MessageQueue room;
  Received received;
  EXPECT_TRUE(take(room, 1, 1, "a"));
  EXPECT_TRUE(take(room, 1, 2, "b"));
  EXPECT_FALSE(room.deliver());
  room.listen(into(received));
  EXPECT_TRUE(take(room, 1, 3, "c"));
  EXPECT_TRUE(received.empty()) << "the receiver is called by deliver() first";
  EXPECT_TRUE(room.deliver());
  EXPECT_TRUE(take(room, 1, 4, "d"));
  EXPECT_FALSE(room.deliver());
  EXPECT_EQ(received, (Received{"1: a", "1: b", "1: c", "1: d"}));
}

TEST(message_queue, mail_that_comes_again_is_refused) {
  MessageQueue room;
  Received received;
  room.listen(into(received));
  room.deliver();
  EXPECT_TRUE(take(room, 1, 1, "a"));
  EXPECT_FALSE(take(room, 1, 1, "a"));
  EXPECT_TRUE(take(room, 1, 3, "c"));
  EXPECT_FALSE(take(room, 1, 3, "c")) << "one like it is kept";
  EXPECT_FALSE(take(room, 1, 0, "before the first"));
  EXPECT_EQ(received, (Received{"1: a"}));
}

TEST(message_queue, a_sender_that_replaces_another_numbers_anew) {
  MessageQueue room;
  Received received;
  room.listen(into(received));
  room.deliver();
  const auto take_of_next = [&](std::uint32_t number, const std::string& text) {
    return room.take({Rank(1), number, std::as_bytes(std::span(text)), 1});
  };
  EXPECT_TRUE(take(room, 1, 1, "a"));
  EXPECT_TRUE(take(room, 1, 3, "c"));
  EXPECT_FALSE(take_of_next(1, "too early"));
  EXPECT_TRUE(room.renew(Rank(1), 1));
  EXPECT_FALSE(room.renew(Rank(1), 1));
  EXPECT_FALSE(take(room, 1, 2, "b")) << "of the one before";
  EXPECT_TRUE(take_of_next(2, "B"));
  EXPECT_TRUE(take_of_next(1, "A"));
  EXPECT_EQ(received, (Received{"1: a", "1: A", "1: B"}));
}

}  // namespace
}  // namespace gondwana::remote
