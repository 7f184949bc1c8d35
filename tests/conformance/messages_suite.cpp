// Messages between two endpoints.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#include "conformance/endpoint_suite.hpp"

namespace gondwana::test {
namespace {

using network::Operation;

std::uint32_t number_in(Bytes message) {
  std::uint32_t number = 0;
  std::memcpy(&number, message.data(), sizeof(number));
  return number;
}

Bytes bytes_of(const std::uint32_t& number) {
  return std::as_bytes(std::span(&number, 1));
}

TEST_P(EndpointSuite, says_what_it_is_and_where) {
  EXPECT_FALSE(near().endpoint().describe().empty());
  EXPECT_EQ(near().endpoint().kind(), far().endpoint().kind());
  EXPECT_FALSE(near().endpoint().address().empty());
  EXPECT_LE(near().endpoint().address().size(), network::longest_address);
  EXPECT_FALSE(std::ranges::equal(near().endpoint().address(), far().endpoint().address()));
  EXPECT_GE(near().endpoint().max_injected(), 48U) << "requests and replies are injected";
}

TEST_P(EndpointSuite, refuses_an_address_that_is_too_short) {
  const auto peer = near().endpoint().add_peer(far().endpoint().address().first(1));
  if (!peer) return;
  EXPECT_FALSE(send(near(), *peer, pattern(8, 1)));
}

TEST_P(EndpointSuite, finds_nothing_where_nothing_comes) {
  EXPECT_EQ(near().poll(), 0U);
  EXPECT_TRUE(near().messages.empty());
}

TEST_P(EndpointSuite, bytes_of_an_injected_message_are_free_at_once) {
  for (std::size_t size = 1; size <= near().endpoint().max_injected(); size = 2 * size + 1) {
    std::vector<std::byte> message = pattern(size, 1);
    far().messages.clear();
    ASSERT_TRUE(inject(near(), far_peer(), message)) << size;
    std::ranges::fill(message, std::byte{0});
    ASSERT_TRUE(poll_until([&] { return !far().messages.empty(); })) << size;
    EXPECT_EQ(far().messages.front(), pattern(size, 1)) << size;
  }
}

TEST_P(EndpointSuite, messages_of_all_lengths_arrive_and_are_done_once) {
  for (std::size_t size = 1; size <= receives.longest; size += 1 + size / 2) {
    far().messages.clear();
    ASSERT_TRUE(send(near(), far_peer(), pattern(size, 2))) << size;
    ASSERT_TRUE(poll_until([&] { return !far().messages.empty(); })) << size;
    EXPECT_EQ(far().messages.front(), pattern(size, 2)) << size;
  }
  EXPECT_TRUE(send(near(), far_peer(), pattern(receives.longest, 3)));
  for (const auto& [operation, times] : near().done) EXPECT_EQ(times, 1);
}

TEST_P(EndpointSuite, small_messages_arrive_in_order) {
  constexpr std::uint32_t count = 2000;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % 3 == 0)
      ASSERT_TRUE(send(near(), far_peer(), bytes_of(i)));
    else
      ASSERT_TRUE(inject(near(), far_peer(), bytes_of(i)));
  }
  ASSERT_TRUE(poll_until([&] { return far().messages.size() == count; }));
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(number_in(far().messages[i]), i);
}

// The queue is finite. Accepted messages arrive exactly once.
TEST_P(EndpointSuite, a_flood_is_refused_for_now_or_arrives) {
  constexpr std::uint32_t count = 3000;
  constexpr std::size_t size = 8192;
  std::vector<std::vector<std::byte>> buffers(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    buffers[i].resize(size);
    std::memcpy(buffers[i].data(), &i, sizeof(i));
    ASSERT_NE(post(near(),
                   [&](Operation& operation) {
                     return near().endpoint().send(far_peer(), buffers[i], operation);
                   }),
              nullptr);
  }
  ASSERT_TRUE(
      poll_until([&] { return near().done.size() == count && far().messages.size() == count; }));
  std::vector<bool> has_come(count);
  for (const auto& message : far().messages) {
    ASSERT_EQ(message.size(), size);
    ASSERT_FALSE(has_come[number_in(message)]);
    has_come[number_in(message)] = true;
  }
}

TEST_P(EndpointSuite, handlers_may_answer) {
  constexpr std::uint32_t count = 200;
  far().on_message = [&](Bytes message) {
    const Result<Posted> posted = far().endpoint().inject(near_peer(), message);
    ASSERT_TRUE(posted);
    ASSERT_EQ(*posted, Posted::accepted);
  };
  // The first message back opens the connection, which may take a while.
  ASSERT_TRUE(send(far(), near_peer(), pattern(1, 0)));
  ASSERT_TRUE(poll_until([&] { return near().messages.size() == 1; }));
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(inject(near(), far_peer(), bytes_of(i)));
    ASSERT_TRUE(poll_until([&] { return near().messages.size() == i + 2; }));
    EXPECT_EQ(number_in(near().messages.back()), i);
  }
}

TEST_P(EndpointSuite, refuses_messages_that_are_too_long) {
  ASSERT_EQ(far().endpoint().refused(), 0U);
  const std::vector<std::byte> message = pattern(1'000'000, 1);
  const Operation* operation = post(
      near(), [&](Operation& each) { return near().endpoint().send(far_peer(), message, each); });
  if (operation != nullptr) {
    EXPECT_TRUE(poll_until(
        [&] { return far().endpoint().refused() > 0 || near().failed.contains(operation); }));
  }
  EXPECT_TRUE(far().messages.empty());
  EXPECT_TRUE(send(near(), far_peer(), pattern(receives.longest, 2)));
  EXPECT_TRUE(poll_until([&] { return far().messages.size() == 1; }));
}

// A poll returns even if messages keep arriving.
TEST_P(EndpointSuite, polls_are_bounded) {
  std::atomic<bool> is_over = false;
  const std::jthread sender([&] {
    while (!is_over) {
      static_cast<void>(near().endpoint().inject(far_peer(), pattern(32, 1)));
      near().poll();
    }
  });
  far().on_message = [](Bytes) {};
  std::size_t polls = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::chrono::steady_clock::now() < end) {
    far().poll();
    ++polls;
  }
  is_over = true;
  EXPECT_GT(polls, 20U);
}

}  // namespace
}  // namespace gondwana::test
