// Messages that are batched: their rank sends them to the receiver, or an agent forwards them.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "remote/client/client.hpp"
#include "remote/protocol.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

// Rank 0 on one node, the others on another.
class GatheredMessage : public testing::TestWithParam<const char*> {
 protected:
  explicit GatheredMessage(std::uint32_t others = 2) : others_(others), received_(others + 1) {}

  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    const bool through_agent = GetParam() == std::string("agent");
    const std::uint32_t all = others_ + 1;
    for (const NodeShare share : {NodeShare{1, 0, 0, 2, all}, NodeShare{others_, 1, 1, 2, all}}) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create(share);
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    agents_ = start_agents(memory_, {.carries = through_agent});
    for (std::uint32_t rank = 0; rank < all; ++rank) {
      Result<std::unique_ptr<RemoteClient>> client =
          RemoteClient::open({.memory = memory_[rank == 0 ? 0 : 1],
                              .me = Rank(rank),
                              .job_tag = job_tag,
                              .settings = loopback_network(),
                              .through_agent = through_agent});
      ASSERT_TRUE(client) << client.error().text;
      ranks_.push_back(*std::move(client));
      ranks_.back()->listen([this, rank](Rank from, Bytes message) {
        received_[rank].push_back({index(from), {message.begin(), message.end()}});
      });
    }
  }

  struct Received {
    std::uint32_t from;
    std::vector<std::byte> bytes;
  };

  // The number of a message is in each of its words.
  static std::vector<std::byte> text(std::uint32_t number, std::size_t words) {
    std::vector<std::byte> bytes(words * sizeof(number));
    for (std::size_t i = 0; i < words; ++i)
      std::memcpy(bytes.data() + i * sizeof(number), &number, sizeof(number));
    return bytes;
  }
  void send(std::uint32_t from, std::uint32_t to, Bytes text,
            Departure departure = Departure::may_wait) {
    ASSERT_TRUE(until([&] {
      const Result<Posted> posted = ranks_[from]->send_message(Rank(to), text, {}, departure);
      EXPECT_TRUE(posted) << posted.error().text;
      return !posted || *posted == Posted::accepted;
    }));
  }
  // Rank 0 puts a word to rank 1.
  void put(std::size_t offset, std::uint64_t word) {
    Completion done;
    const auto bytes = std::as_bytes(std::span(&word, 1));
    ASSERT_TRUE(until([&] {
      const Result<Posted> posted = ranks_[0]->put({Rank(1), offset}, bytes, done);
      return !posted || *posted == Posted::accepted;
    }));
    ASSERT_TRUE(until([&] { return done.done(); }));
    std::uint64_t there = 0;
    std::memcpy(&there, memory_[1]->window(Rank(1)) + offset, sizeof(there));
    EXPECT_EQ(there, word);
  }
  // All ranks make calls. False: timeout.
  bool until(const std::function<bool()>& done) {
    for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end;) {
      if (done()) return true;
      for (const auto& rank : ranks_) rank->progress();
    }
    return done();
  }
  // Only this rank makes calls.
  bool hears(std::uint32_t rank, std::size_t count) {
    for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end;) {
      if (received_[rank].size() >= count) return true;
      ranks_[rank]->progress();
      std::this_thread::yield();
    }
    return received_[rank].size() >= count;
  }
  const std::vector<Received>& received(std::uint32_t rank) const { return received_[rank]; }
  std::uint64_t refused(std::uint32_t rank) const { return ranks_[rank]->arrivals().refused(); }

 private:
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::uint32_t others_;
  std::vector<std::vector<Received>> received_;
  std::vector<std::unique_ptr<RemoteClient>> ranks_;
};

TEST_P(GatheredMessage, long_rows_of_every_size_arrive_whole_and_in_order) {
  constexpr std::uint32_t count = 500;
  const auto words = [](std::uint32_t i) {
    constexpr std::size_t most = remote::longest_gathered / 4;
    const std::size_t sizes[] = {0, 1, 2, 33, most, most + 1, 16'000};
    return sizes[i % std::size(sizes)];
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    send(0, 1, text(i, words(i)), i % 5 == 0 ? Departure::at_once : Departure::may_wait);
    if (i % 3 == 0) send(0, 2, text(i / 3, words(i)));
  }
  constexpr std::uint32_t count_2 = (count + 2) / 3;
  ASSERT_TRUE(until([&] { return received(1).size() == count && received(2).size() == count_2; }));
  for (std::uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(received(1)[i].from, 0U);
    EXPECT_EQ(received(1)[i].bytes, text(i, words(i))) << i;
  }
  for (std::uint32_t i = 0; i < count_2; ++i)
    EXPECT_EQ(received(2)[i].bytes, text(i, words(3 * i))) << i;
  EXPECT_EQ(refused(1) + refused(2), 0U);
}

TEST_P(GatheredMessage, several_senders_reach_one_rank) {
  constexpr std::uint32_t count = 200;
  for (std::uint32_t i = 0; i < count; ++i) {
    send(1, 0, text(i, 2));
    send(2, 0, text(i, 3));
  }
  ASSERT_TRUE(until([&] { return received(0).size() == std::size_t{2} * count; }));
  std::uint32_t next[3] = {};
  for (const auto& [from, bytes] : received(0))
    EXPECT_EQ(bytes, text(next[from]++, from == 1 ? 2 : 3));
  EXPECT_EQ(next[1], count);
}

TEST_P(GatheredMessage, rows_and_questions_take_turns) {
  std::uint32_t number = 0;
  for (std::uint32_t length = 1; length < 40; ++length) {
    for (std::uint32_t i = 0; i < length; ++i) send(0, 1, text(number++, 2));
    ASSERT_TRUE(until([&] { return received(1).size() == number; }));
    send(1, 0, text(length, 2));
    ASSERT_TRUE(until([&] { return received(0).size() == length; }));
  }
  for (std::uint32_t i = 0; i < number; ++i) EXPECT_EQ(received(1)[i].bytes, text(i, 2));
}

TEST_P(GatheredMessage, a_row_arrives_without_a_further_call) {
  for (std::uint32_t i = 0; i < 3; ++i) send(0, 1, text(i, 2), Departure::at_once);
  ASSERT_TRUE(until([&] { return received(1).size() == 3; }));  // connections are established
  for (std::uint32_t i = 3; i < 60; ++i) send(0, 1, text(i, 2));
  EXPECT_TRUE(hears(1, 60));
  for (std::uint32_t i = 0; i < 60; ++i) EXPECT_EQ(received(1)[i].bytes, text(i, 2));
}

class MessagesToMany : public GatheredMessage {
 protected:
  static constexpr std::uint32_t others = BatchPlace::count + 1;

  MessagesToMany() : GatheredMessage(others) {}
};

TEST_P(MessagesToMany, keep_no_request_from_a_slot) {
  constexpr std::uint32_t rounds = 20;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    for (std::uint32_t to = 1; to <= others; ++to) send(0, to, text(i, 4));
    put(NodePlan::globals_offset, i + 1);
  }
  for (std::uint32_t to = 1; to <= others; ++to) {
    ASSERT_TRUE(until([&] { return received(to).size() == rounds; })) << to;
    for (std::uint32_t i = 0; i < rounds; ++i) EXPECT_EQ(received(to)[i].bytes, text(i, 4));
  }
}

INSTANTIATE_TEST_SUITE_P(routes, MessagesToMany, testing::Values("endpoint", "agent"),
                         [](const auto& parameter) { return std::string(parameter.param); });
INSTANTIATE_TEST_SUITE_P(routes, GatheredMessage, testing::Values("endpoint", "agent"),
                         [](const auto& route) { return std::string(route.param); });

}  // namespace
}  // namespace gondwana::test
