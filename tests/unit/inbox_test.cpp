// The inbox on real hardware: threads as ranks, over one mapping as processes would share it.
#include "sync/inbox.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "core/assert.hpp"

namespace gondwana {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t receiver = 0;
constexpr std::uint32_t all_messages = 1'000;
constexpr std::size_t three_times_all = std::size_t{3} * all_messages;

struct Bells {
  Doorbell<RealAtomics>* first;
  Doorbell<RealAtomics>& operator()(std::uint32_t rank) const { return first[rank]; }
};

using Lane = SharedQueue<Bells>;
using Sender = InboxSender<RealAtomics, Lane>;
using Consumer = InboxConsumer<RealAtomics, Lane>;

// The inboxes of a few ranks, followed by their bells.
class Node {
 public:
  explicit Node(std::uint32_t ranks) : layout_(ranks), inboxes_(ranks * layout_.size()) {
    const std::size_t bells = ranks * sizeof(Doorbell<RealAtomics>);
    bytes_ = inboxes_ + bells;
    void* start = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    GONDWANA_ASSERT(start != MAP_FAILED, errno);
    start_ = static_cast<std::byte*>(start);
    register_for_heavy_fence();
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { ::munmap(start_, bytes_); }

  Lane lane(std::uint32_t to, MessageClass message_class = MessageClass::request) {
    return {start_ + to * layout_.size(), layout_, to, message_class, bells()};
  }
  Bells bells() const {
    return {reinterpret_cast<Doorbell<RealAtomics>*>(start_ + inboxes_)};  // NOLINT
  }

 private:
  InboxLayout layout_;
  std::size_t inboxes_;
  std::size_t bytes_;
  std::byte* start_;
};

void publish(Sender& sender, Reservation at, std::uint32_t value) {
  InboxMessage& message = sender.message(at);
  message.arguments = 1;
  message.words[0] = value;
  sender.publish(at);
}

bool try_send(Sender& sender, std::uint32_t value) {
  const auto at = sender.reserve(Payload::none);
  if (at) publish(sender, *at, value);
  return at.has_value();
}

std::vector<std::uint32_t> drain(Consumer& consumer) {
  std::vector<std::uint32_t> values;
  const auto handle = [&](std::uint32_t, InboxMessage& message, std::uint32_t) {
    values.push_back(message.words[0]);
  };
  // Every kind of poll, the rarest included, occurs within this number of polls.
  for (int looks = 0; looks < 2'000; ++looks) consumer.poll(handle, 8);
  std::ranges::sort(values);
  return values;
}

TEST(inbox, messages_of_all_senders_arrive) {
  Node node(3);
  Consumer consumer(node.lane(receiver));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const Lane lane_of_sender = node.lane(receiver);
    Sender sender(lane_of_sender, rank);
    EXPECT_TRUE(try_send(sender, 2 * rank));
    EXPECT_TRUE(try_send(sender, 2 * rank + 1));
  }
  EXPECT_EQ(drain(consumer), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(inbox, sender_without_credit_is_refused_until_its_messages_are_handled) {
  Node node(2);
  Consumer consumer(node.lane(receiver));
  const Lane lane_of_sender = node.lane(receiver);
  Sender sender(lane_of_sender, 1);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < InboxLayout::slots; ++i) EXPECT_TRUE(try_send(sender, i));
    EXPECT_FALSE(sender.has_room(Payload::none));
    EXPECT_FALSE(sender.reserve(Payload::none));
    EXPECT_EQ(drain(consumer).size(), InboxLayout::slots);
    EXPECT_TRUE(sender.has_room(Payload::none));
  }
}

TEST(inbox, sender_without_a_block_is_refused_and_keeps_its_slots) {
  Node node(2);
  const Lane lane_of_sender = node.lane(receiver);
  Sender sender(lane_of_sender, 1);
  const std::uint32_t blocks = node.lane(receiver).blocks();
  std::vector<Reservation> open;
  open.reserve(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) open.push_back(*sender.reserve(Payload::block));
  EXPECT_FALSE(sender.reserve(Payload::block));
  EXPECT_FALSE(sender.has_room(Payload::block));
  for (std::uint32_t i = blocks; i < InboxLayout::slots; ++i)
    EXPECT_TRUE(sender.reserve(Payload::none));
  EXPECT_FALSE(sender.reserve(Payload::none));
  for (const Reservation at : open) sender.cancel(at);
  EXPECT_TRUE(sender.reserve(Payload::block));
}

// Threads of a sender alternate: one locked instruction serves all slots; no message is missed.
TEST(inbox, messages_of_a_credit_cache_are_found_by_one_poll_each) {
  Node node(2);
  const Lane lane = node.lane(receiver);
  Consumer consumer(lane);
  CreditCache credit_cache = CreditCache::of(1, InboxLayout::slots);
  Sender sender(lane, 1, &credit_cache);
  std::uint32_t found = 0;
  const auto handle = [&](std::uint32_t, InboxMessage& message, std::uint32_t) {
    found = message.words[0];
  };
  for (std::uint32_t i = 1; i < 5 * InboxLayout::slots; ++i) {
    if (i % 7 == 0) sender.cancel(*sender.reserve(Payload::block));
    ASSERT_TRUE(try_send(sender, i));
    ASSERT_EQ(consumer.poll(handle, 8), 1U);
    ASSERT_EQ(found, i);
  }
  EXPECT_TRUE(credit_cache.in_order);
  const Reservation first = *sender.reserve(Payload::none);
  ASSERT_TRUE(try_send(sender, 100));
  ASSERT_EQ(consumer.poll(handle, 8), 1U);
  publish(sender, first, 101);
  ASSERT_EQ(consumer.poll(handle, 8), 1U);
  EXPECT_EQ(found, 101U);
}

TEST(inbox, credit_cache_gives_all_slots_and_then_none) {
  Node node(2);
  const Lane lane = node.lane(receiver);
  Consumer consumer(lane);
  CreditCache credit_cache = CreditCache::of(1, InboxLayout::slots);
  Sender sender(lane, 1, &credit_cache);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < InboxLayout::slots; ++i) EXPECT_TRUE(try_send(sender, i));
    EXPECT_FALSE(sender.has_room(Payload::none));
    EXPECT_FALSE(sender.reserve(Payload::none));
    EXPECT_EQ(drain(consumer).size(), InboxLayout::slots);
    EXPECT_TRUE(sender.has_room(Payload::none));
  }
}

TEST(inbox, full_channel_of_one_sender_is_not_full_for_another) {
  Node node(2);
  const Lane lane_of_greedy = node.lane(receiver);
  Sender greedy(lane_of_greedy, 0);
  const Lane lane_of_other = node.lane(receiver);
  Sender other(lane_of_other, 1);
  while (try_send(greedy, 0)) continue;
  EXPECT_TRUE(try_send(other, 1));
}

TEST(inbox, open_reservations_do_not_hold_up_what_is_behind_them) {
  Node node(2);
  Consumer consumer(node.lane(receiver));
  const Lane lane_of_sender = node.lane(receiver);
  Sender sender(lane_of_sender, 1);
  const Reservation first = *sender.reserve(Payload::none);
  ASSERT_TRUE(try_send(sender, 1));
  const Reservation third = *sender.reserve(Payload::block);
  ASSERT_TRUE(try_send(sender, 3));
  EXPECT_EQ(drain(consumer), (std::vector<std::uint32_t>{1, 3}));
  for (std::uint32_t i = 0; i < 5 * InboxLayout::slots; ++i) {
    ASSERT_TRUE(try_send(sender, i)) << "message " << i;
    EXPECT_EQ(drain(consumer), std::vector<std::uint32_t>{i});
  }
  publish(sender, third, 30);
  publish(sender, first, 10);
  EXPECT_EQ(drain(consumer), (std::vector<std::uint32_t>{10, 30}));
}

// The receiver returns slots by halves, but does not wait for slots that may stay open.
TEST(inbox, open_reservations_at_the_ends_of_the_halves_hold_back_no_credit) {
  Node node(2);
  Consumer consumer(node.lane(receiver));
  const Lane lane_of_sender = node.lane(receiver);
  Sender sender(lane_of_sender, 1);
  constexpr std::uint32_t half = InboxLayout::slots / 2;
  std::vector<Reservation> all;
  while (const auto at = sender.reserve(Payload::none)) all.push_back(*at);
  for (const Reservation at : all)
    if (at.slot % half != half - 1) publish(sender, at, 0);
  std::size_t handled = 0;
  const auto handle = [&](std::uint32_t, InboxMessage&, std::uint32_t) { ++handled; };
  while (handled < all.size() - 2) ASSERT_GT(consumer.poll(handle, 8), 0U);
  for (std::uint32_t i = 0; i < 5 * InboxLayout::slots; ++i) {
    ASSERT_TRUE(try_send(sender, i)) << "message " << i;
    ASSERT_EQ(consumer.poll(handle, 8), 1U);
  }
}

TEST(inbox, sender_that_never_pauses_does_not_starve_another) {
  Node node(3);
  Consumer consumer(node.lane(receiver));
  const Lane lane_of_greedy = node.lane(receiver);
  Sender greedy(lane_of_greedy, 1);
  const Lane lane_of_other = node.lane(receiver);
  Sender other(lane_of_other, 2);
  ASSERT_TRUE(try_send(greedy, 0));
  ASSERT_EQ(drain(consumer).size(), 1U);
  ASSERT_TRUE(try_send(other, 1));
  bool seen = false;
  const auto handle = [&](std::uint32_t sender, InboxMessage&, std::uint32_t) {
    seen = seen || sender == 2;
  };
  int polls = 0;
  for (; !seen && polls < 100; ++polls) {
    while (try_send(greedy, 0)) continue;
    consumer.poll(handle, 8);
  }
  EXPECT_TRUE(seen);
  EXPECT_LE(polls, 32);
}

TEST(inbox, payload_is_handled_where_it_was_written) {
  Node node(2);
  Lane lane = node.lane(receiver);
  Consumer consumer(lane);
  Sender sender(lane, 1);
  const Reservation at = *sender.reserve(Payload::block);
  const MutableBytes block = lane.block(1, at.block);
  ASSERT_EQ(block.size(), 65'536U);
  std::ranges::fill(block, std::byte{7});
  sender.message(at).payload_bytes = static_cast<std::uint32_t>(block.size());
  sender.publish(at);
  const void* handled = nullptr;
  consumer.poll(
      [&](std::uint32_t from, InboxMessage& message, std::uint32_t number) {
        const MutableBytes its = lane.block(from, number).first(message.payload_bytes);
        EXPECT_TRUE(std::ranges::all_of(its, [](std::byte b) { return b == std::byte{7}; }));
        handled = its.data();
      },
      1);
  for (int looks = 0; looks < 2'000 && handled == nullptr; ++looks)
    consumer.poll([&](std::uint32_t from, InboxMessage&,
                      std::uint32_t number) { handled = lane.block(from, number).data(); },
                  1);
  EXPECT_EQ(handled, block.data());
}

TEST(inbox, small_payload_lies_on_8_bytes_behind_the_arguments) {
  InboxSlot<RealAtomics, InboxMessage> slot{};
  for (std::uint32_t count = 0; count <= InboxMessage::max_arguments; ++count) {
    slot.message.arguments = static_cast<std::uint8_t>(count);
    const MutableBytes payload = slot.message.short_payload();
    EXPECT_EQ(payload.size(), InboxMessage::max_short_payload(count));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(payload.data()) % 8, 0U);  // NOLINT
    const std::byte* arguments_end =
        std::as_bytes(std::span(slot.message.words)).data() + std::size_t{4} * count;
    EXPECT_GE(payload.data(), arguments_end);
    EXPECT_EQ(payload.data() + payload.size(), reinterpret_cast<std::byte*>(&slot + 1));  // NOLINT
  }
}

TEST(inbox, layout_keeps_everything_apart) {
  const InboxLayout layout(5, 4);
  EXPECT_GE(layout.claimed(0), layout.news(4) + sizeof(std::uint32_t));
  EXPECT_GE(layout.channel(0), layout.claimed(4) + sizeof(std::uint32_t));
  EXPECT_GE(layout.channel(1), layout.channel(0) + sizeof(InboxLayout::Channel));
  EXPECT_GE(layout.block(0, 0), layout.channel(4) + sizeof(InboxLayout::Channel));
  EXPECT_EQ(layout.block(1, 0), layout.block(0, 3) + InboxLayout::block_bytes);
  EXPECT_EQ(layout.lane(MessageClass::reply), layout.block(4, 3) + InboxLayout::block_bytes);
  EXPECT_EQ(layout.size() % 4096, 0U);
}

// A process is killed with open reservations, between two of its own messages.
TEST(inbox, killed_sender_is_in_nobodys_way) {
  Node node(3);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const Lane lane_of_doomed = node.lane(receiver);
    Sender doomed(lane_of_doomed, 1);
    try_send(doomed, 1);
    while (doomed.reserve(Payload::block)) continue;
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Consumer consumer(node.lane(receiver));
  const Lane lane_of_other = node.lane(receiver);
  Sender other(lane_of_other, 2);
  for (std::uint32_t i = 0; i < 3 * InboxLayout::slots; ++i) {
    ASSERT_TRUE(try_send(other, 100 + i));
    std::vector<std::uint32_t> expected{100 + i};
    if (i == 0) expected.insert(expected.begin(), 1);
    EXPECT_EQ(drain(consumer), expected);
  }
}

// Sends like the engine: without polling, asleep until there is space.
void send(Node& node, std::uint32_t me, std::uint32_t value, Payload payload) {
  const Lane lane = node.lane(receiver);
  Sender sender(lane, me);
  for (;;) {
    if (const auto at = sender.reserve(payload)) {
      if (payload == Payload::block) {
        const MutableBytes block = lane.block(me, at->block);
        std::memcpy(block.data() + block.size() - sizeof(value), &value, sizeof(value));
      }
      return publish(sender, *at, value);
    }
    node.bells()(me).sleep_until([&] { return sender.has_room(payload); }, milliseconds(10'000));
  }
}

struct Tally {
  std::atomic<std::uint32_t> handled;
  std::vector<std::uint32_t> times;  // by value; written under the lock of the lane
};

void receive(Node& node, Tally& tally, std::uint32_t expected) {
  Lane lane = node.lane(receiver);
  Consumer consumer(lane);
  const auto handle = [&](std::uint32_t sender, InboxMessage& message, std::uint32_t number) {
    const std::uint32_t value = message.words[0];
    if (number != Reservation::no_block) {
      std::uint32_t copy = 0;
      const MutableBytes block = lane.block(sender, number);
      std::memcpy(&copy, block.data() + block.size() - sizeof(copy), sizeof(copy));
      EXPECT_EQ(copy, value);
    }
    ++tally.times[value];
    tally.handled.fetch_add(1, std::memory_order_relaxed);
  };
  const auto done = [&] { return tally.handled.load(std::memory_order_relaxed) == expected; };
  while (!done()) {
    if (consumer.poll(handle, 8) == 0) consumer.sleep_until(done, milliseconds(10'000));
  }
  consumer.settle();
}

// Two threads of rank 1, one of rank 2; every third message has a block.
TEST(inbox, threads_lose_no_message_and_handle_none_twice) {
  Node node(3);
  Tally tally{{}, std::vector<std::uint32_t>(three_times_all)};
  std::vector<std::thread> threads;
  threads.reserve(5);
  for (std::uint32_t t = 0; t < 3; ++t) {
    threads.emplace_back([&node, t] {
      for (std::uint32_t i = 0; i < all_messages; ++i)
        send(node, t < 2 ? 1 : 2, t * all_messages + i,
             i % 3 == 0 ? Payload::block : Payload::none);
    });
  }
  for (int consumers = 0; consumers < 2; ++consumers)
    threads.emplace_back([&] { receive(node, tally, 3 * all_messages); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tally.times, std::vector<std::uint32_t>(three_times_all, 1));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(node.lane(receiver).channel(rank).slot_credit.in_use(), 0U);
    EXPECT_EQ(node.lane(receiver).channel(rank).block_credit.in_use(), 0U);
  }
}

// Both ranks flood each other with requests, each answered: the rule of two message classes. A rank
// without space polls, and no rank waits forever.
class Talker {
 public:
  Talker(Node& node, std::uint32_t me)
      : node_(node),
        me_(me),
        requests_(node.lane(me, MessageClass::request)),
        replies_(node.lane(me, MessageClass::reply)) {}

  void talk() {
    for (std::uint32_t i = 0; i < all_messages; ++i)
      send_to(1 - me_, MessageClass::request, i, [this] { poll_both(); });
    while (answered_ < all_messages || requested_ < all_messages) poll_both();
  }

  std::uint64_t sum() const { return sum_; }

 private:
  template <typename Wait>
  void send_to(std::uint32_t to, MessageClass message_class, std::uint32_t value, Wait wait) {
    const Lane lane = node_.lane(to, message_class);
    Sender sender(lane, me_);
    while (!try_send(sender, value)) wait();
  }

  bool poll_replies() {
    const auto handle = [this](std::uint32_t, InboxMessage& message, std::uint32_t) {
      sum_ += message.words[0];
      ++answered_;
    };
    return replies_.poll(handle, 8) != 0;
  }

  void poll_both() {
    const auto handle = [this](std::uint32_t from, InboxMessage& message, std::uint32_t) {
      ++requested_;
      send_to(from, MessageClass::reply, message.words[0], [this] { poll_replies(); });
    };
    const bool answered = poll_replies();
    if (requests_.poll(handle, 8) == 0 && !answered) std::this_thread::yield();
  }

  Node& node_;
  std::uint32_t me_;
  Consumer requests_;
  Consumer replies_;
  std::uint32_t requested_ = 0;
  std::uint32_t answered_ = 0;
  std::uint64_t sum_ = 0;
};

TEST(inbox, ranks_that_flood_each_other_with_requests_do_not_deadlock) {
  Node node(2);
  Talker zero(node, 0);
  Talker one(node, 1);
  std::thread other([&] { one.talk(); });
  zero.talk();
  other.join();
  const std::uint64_t expected = std::uint64_t{all_messages} * (all_messages - 1) / 2;
  EXPECT_EQ(zero.sum(), expected);
  EXPECT_EQ(one.sum(), expected);
}

}  // namespace
}  // namespace gondwana
