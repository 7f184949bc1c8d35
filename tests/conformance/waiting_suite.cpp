// Sleep on the wait descriptor, and the end of an endpoint or of its peer.
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/endpoint_suite.hpp"

namespace gondwana::test {
namespace {

using network::Operation;
using network::Region;

// Sleeps when a poll finds nothing, as the agent does. False: nothing woke it in time.
bool sleep_until(Side& side, const std::function<bool()>& is_done) {
  constexpr int limit_ms = 10'000;
  while (!is_done()) {
    if (side.poll() > 0 || is_done() || !side.endpoint().may_sleep()) continue;
    pollfd entry{side.endpoint().wait_descriptor(), POLLIN, 0};
    if (::poll(&entry, 1, limit_ms) == 0) return false;
  }
  return true;
}

bool inject_one(Side& side, network::Peer to) {
  const std::vector<std::byte> message = pattern(32, 1);
  for (;;) {
    const Result<Posted> posted = side.endpoint().inject(to, message);
    if (!posted || *posted == Posted::accepted) return static_cast<bool>(posted);
    side.poll();
  }
}

TEST_P(EndpointSuite, no_message_is_slept_through) {
  if (near().endpoint().wait_descriptor() < 0) GTEST_SKIP() << "it has no descriptor";
  constexpr std::size_t rounds = 2000;
  const std::jthread answerer([&] {
    for (std::size_t i = 1; i <= rounds; ++i) {
      ASSERT_TRUE(sleep_until(far(), [&] { return far().messages.size() >= i; })) << i;
      ASSERT_TRUE(inject_one(far(), near_peer()));
    }
    // An injected message may need polls to leave.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (std::chrono::steady_clock::now() < end) far().poll();
  });
  for (std::size_t i = 1; i <= rounds; ++i) {
    ASSERT_TRUE(inject_one(near(), far_peer()));
    ASSERT_TRUE(sleep_until(near(), [&] { return near().messages.size() >= i; })) << i;
  }
}

TEST_P(EndpointSuite, a_sleeping_target_serves_writes_and_reads) {
  if (near().endpoint().wait_descriptor() < 0) GTEST_SKIP() << "it has no descriptor";
  std::vector<std::byte> memory(std::size_t{1} << 20);
  const Region region = share(memory);
  bool is_over = false;
  far().on_message = [&](Bytes) { is_over = true; };
  const std::jthread target([&] { EXPECT_TRUE(sleep_until(far(), [&] { return is_over; })); });
  std::vector<std::byte> bytes(memory.size());
  for (std::size_t i = 0; i < 200; ++i) {
    const std::size_t size = i % 4 == 0 ? bytes.size() : 8;
    Operation& operation = near().add_operation();
    const auto post_it = [&] {
      return i % 2 == 0
                 ? near().endpoint().write(region, 0, Bytes(bytes).first(size), operation)
                 : near().endpoint().read(region, 0, MutableBytes(bytes).first(size), operation);
    };
    for (Result<Posted> posted = post_it(); posted && *posted == Posted::busy; posted = post_it())
      near().poll();
    ASSERT_TRUE(sleep_until(near(), [&] { return near().done.contains(&operation); })) << i;
  }
  EXPECT_TRUE(inject_one(near(), far_peer()));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) near().poll();
}

// An endpoint ends while its peer polls, as agents do. The peer still receives from others.
TEST_P(EndpointSuite, ends_with_operations_under_way) {
  std::vector<std::byte> memory(std::size_t{1} << 20);
  const Region region = share(memory);
  std::vector<std::byte> bytes(memory.size());
  ASSERT_TRUE(write(region, 0, bytes));
  const std::vector<std::byte> last = pattern(33, 3);
  std::atomic<bool> is_over = false;
  far().on_message = [&](Bytes message) { is_over = is_over || std::ranges::equal(message, last); };
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto is_late = [&] { return std::chrono::steady_clock::now() > limit; };
  const std::jthread peer([&] {
    while (!is_over && !is_late()) far().poll();
  });
  network::Endpoint& endpoint = near().endpoint();
  static_cast<void>(endpoint.write(region, 0, bytes, near().add_operation()));
  static_cast<void>(endpoint.read(region, 0, bytes, near().add_operation()));
  static_cast<void>(endpoint.send(far_peer(), Bytes(bytes).first(60'000), near().add_operation()));
  static_cast<void>(endpoint.inject(far_peer(), Bytes(bytes).first(8)));
  near().close();
  const auto third = open();
  const auto to_far = third->endpoint().add_peer(far().endpoint().address());
  ASSERT_TRUE(to_far) << to_far.error().text;
  Operation& operation = third->add_operation();
  for (bool is_posted = false; !is_over && !is_late(); third->poll()) {
    if (is_posted) continue;
    const auto posted = third->endpoint().send(*to_far, last, operation);
    ASSERT_TRUE(posted) << posted.error().text;
    is_posted = *posted == Posted::accepted;
  }
  EXPECT_TRUE(is_over);
}

TEST_P(EndpointSuite, operations_to_a_peer_that_has_ended_fail) {
  std::vector<std::byte> memory(4096);
  const Region region = share(memory);
  ASSERT_TRUE(write(region, 0, pattern(8, 1)));
  ASSERT_TRUE(send(near(), far_peer(), pattern(8, 1)));
  end_far();
  const auto fails = [&](const auto& posting) {
    Operation& operation = near().add_operation();
    bool is_posted = false;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
      if (!is_posted) {
        const Result<Posted> posted = posting(operation);
        if (!posted) return true;
        is_posted = *posted == Posted::accepted;
      }
      near().poll();
      if (near().failed.contains(&operation)) return true;
    }
    return false;
  };
  const std::vector<std::byte> bytes = pattern(4000, 1);
  EXPECT_TRUE(fails(
      [&](Operation& operation) { return near().endpoint().write(region, 0, bytes, operation); }));
  EXPECT_TRUE(fails(
      [&](Operation& operation) { return near().endpoint().send(far_peer(), bytes, operation); }));
}

}  // namespace
}  // namespace gondwana::test
