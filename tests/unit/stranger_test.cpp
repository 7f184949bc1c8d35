// Data that any process with access to an endpoint's port may send: messages without a matching
// buffer, and parts of messages. The endpoint still receives others.
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "network/networks.hpp"
#include "remote/client/client.hpp"
#include "remote/protocol.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using network::Endpoint;
using network::Peer;

constexpr network::Receives receives{.buffers = 4, .longest = 70'000};

std::unique_ptr<Endpoint> open_endpoint() {
  Result<std::unique_ptr<Endpoint>> endpoint = network::open_endpoint(loopback_network(), receives);
  GONDWANA_ASSERT(static_cast<bool>(endpoint), 0);
  return *std::move(endpoint);
}

// An endpoint that sends to one other endpoint.
class Sender {
 public:
  explicit Sender(Bytes address)
      : endpoint_(open_endpoint()), peer_(*endpoint_->add_peer(address)) {}

  // Returns false if there is no space now.
  bool post(std::size_t size) {
    const Result<Posted> posted =
        endpoint_->send(peer_, Bytes(bytes_).first(size), operations_.emplace_back());
    return posted && *posted == Posted::accepted;
  }
  void poll() {
    const auto ignore = [](auto&&...) {};
    endpoint_->poll({ignore, ignore, ignore});
  }

 private:
  std::vector<std::byte> bytes_ = std::vector<std::byte>(1'000'000);
  std::deque<network::Operation> operations_;
  std::unique_ptr<Endpoint> endpoint_;
  Peer peer_;
};

class Stranger : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    endpoint_ = open_endpoint();
  }

  Bytes address() const { return endpoint_->address(); }
  const Endpoint& endpoint() const { return *endpoint_; }

  void poll() {
    const auto take = [this](Bytes bytes) { arrived_.insert(bytes.size()); };
    const auto ignore = [](auto&&...) {};
    endpoint_->poll({take, ignore, ignore});
  }
  // A sender to poll as well.
  void add(Sender& other) { other_ = &other; }
  // False: timeout.
  template <typename Done>
  bool poll_until(Sender& sender, const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      sender.poll();
      if (other_ != nullptr) other_->poll();
      poll();
    }
    return false;
  }
  bool sends(Sender& sender, std::size_t size) {
    return poll_until(sender, [&] { return sender.post(size); });
  }
  bool arrives(Sender& sender, std::size_t size) {
    arrived_.clear();
    return sends(sender, size) && poll_until(sender, [&] { return arrived_.contains(size); });
  }
  bool is_refused(Sender& sender, std::size_t size) {
    const std::uint64_t before = endpoint_->refused();
    return sends(sender, size) && poll_until(sender, [&] { return endpoint_->refused() > before; });
  }

 private:
  std::unique_ptr<Endpoint> endpoint_;
  Sender* other_ = nullptr;
  std::set<std::size_t> arrived_;  // their sizes
};

TEST_F(Stranger, sends_what_is_too_long) {
  Sender stranger(address());
  Sender friendly(address());
  for (const std::size_t size : {281'000U, 300'000U, 1'000'000U})
    for (std::uint32_t i = 0; i < 3 * receives.buffers; ++i)
      ASSERT_TRUE(is_refused(stranger, size)) << size;
  EXPECT_TRUE(arrives(friendly, receives.longest));
}

// The message may fit into the free room.
TEST_F(Stranger, sends_messages_of_all_lengths) {
  Sender stranger(address());
  Sender friendly(address());
  add(stranger);
  for (std::size_t size = 1; size < 600'000; size += 1999) {
    ASSERT_TRUE(sends(stranger, size)) << size;
    ASSERT_TRUE(arrives(friendly, 1 + size % receives.longest)) << size;
  }
  EXPECT_GT(endpoint().refused(), 100);
}

TEST_F(Stranger, leaves_in_the_midst_of_messages) {
  Sender friendly(address());
  for (std::uint32_t i = 0; i < 10 * receives.buffers; ++i) {
    Sender stranger(address());
    const std::size_t size = i % 2 == 0 ? 120'000 : 250'000;
    ASSERT_TRUE(sends(stranger, 1));
    ASSERT_TRUE(arrives(stranger, 2)) << i;
    for (int n = 0; n < 8 && stranger.post(size); ++n) {
    }
  }
  for (std::uint32_t i = 0; i < 10 * receives.buffers; ++i)
    ASSERT_TRUE(arrives(friendly, receives.longest - i)) << i;
}

}  // namespace
}  // namespace gondwana::test
