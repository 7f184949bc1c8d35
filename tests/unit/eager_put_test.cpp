// Short puts, which travel to the agent of a node as messages: they are ordered with all others,
// and their source can be reused at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <vector>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

constexpr std::size_t largest = 64 * 1024;
constexpr std::size_t data_offset = NodePlan::globals_offset + 3;
constexpr std::size_t flag_offset = NodePlan::globals_offset + 2 * largest;

// Rank 0 and rank 1 on different nodes. Rank 0 puts to rank 1.
class EagerPut : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    for (std::uint32_t node = 0; node < 2; ++node) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, node, node, 2, 2});
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    agents_ = start_agents(memory_);
  }

  std::unique_ptr<RemoteClient> open(std::size_t limit) {
    Result<std::unique_ptr<RemoteClient>> ofi = RemoteClient::open({.memory = memory_[0],
                                                                    .me = Rank(0),
                                                                    .job_tag = job_tag,
                                                                    .settings = loopback_network(),
                                                                    .eager_limit = limit});
    GONDWANA_ASSERT(static_cast<bool>(ofi), limit);
    return *std::move(ofi);
  }
  const std::byte* target() const { return memory_[1]->window(Rank(1)); }

 private:
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
};

bool progress_until(RemoteClient& ofi, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    ofi.progress();
  }
  return false;
}

void put(RemoteClient& ofi, std::size_t offset, Bytes source, Completion& done) {
  ASSERT_TRUE(progress_until(ofi, [&] {
    const Result<Posted> posted = ofi.put({Rank(1), offset}, source, done);
    return posted && *posted == Posted::accepted;
  }));
}

std::uint64_t flag_at(const std::byte* target) {
  auto& word = *reinterpret_cast<std::uint64_t*>(const_cast<std::byte*>(target + flag_offset));
  return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_acquire);
}

// Large messages arrive in parts, which a provider may report after later messages.
TEST_F(EagerPut, of_any_size_is_there_before_the_flag_behind_it) {
  const auto ofi = open(largest);
  EXPECT_EQ(ofi->limits().messages_up_to, largest);
  const std::vector<std::size_t> sizes{3, 9, 64, 1000, 8192, 16'000, 20'000, largest};
  std::vector<std::byte> source(largest);
  Completion done;
  for (std::uint64_t round = 1; round <= 200; ++round) {
    const std::size_t size = sizes[round % sizes.size()];
    std::ranges::fill(source, static_cast<std::byte>(round));
    put(*ofi, data_offset, Bytes(source).first(size), done);
    std::ranges::fill(source, std::byte{0xff});  // it can be reused
    EXPECT_FALSE(ofi->has_unordered());
    put(*ofi, flag_offset, std::as_bytes(std::span(&round, 1)), done);
    ASSERT_TRUE(progress_until(*ofi, [&] { return flag_at(target()) == round; }));
    const std::byte* data = target() + data_offset;
    ASSERT_TRUE(std::all_of(data, data + size,
                            [&](std::byte each) { return each == static_cast<std::byte>(round); }))
        << size << " B in round " << round;
  }
  EXPECT_TRUE(progress_until(*ofi, [&] { return done.done(); }));
}

TEST_F(EagerPut, stream_is_complete_when_it_is_answered) {
  const auto ofi = open(largest);
  std::vector<std::byte> source(largest);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + 1);
  Completion done;
  for (std::size_t at = 0, size = 1; at + size <= source.size(); at += size, size = size * 5 % 9973)
    put(*ofi, data_offset + at, Bytes(source).subspan(at, size), done);
  put(*ofi, data_offset, source, done);
  ASSERT_TRUE(progress_until(*ofi, [&] { return done.done(); }));
  EXPECT_EQ(std::memcmp(target() + data_offset, source.data(), source.size()), 0);
  EXPECT_TRUE(ofi->departed());
}

TEST_F(EagerPut, can_be_switched_off_but_for_words) {
  const auto ofi = open(0);
  EXPECT_EQ(ofi->limits().messages_up_to, sizeof(std::uint64_t));
  const std::vector<std::byte> source(100, std::byte{5});
  Completion done;
  ASSERT_TRUE(progress_until(*ofi, [&] {
    const Result<Posted> posted = ofi->write({Rank(1), data_offset}, source, done);
    return posted && *posted == Posted::accepted;
  }));
  EXPECT_TRUE(ofi->has_unordered());
  ASSERT_TRUE(progress_until(*ofi, [&] { return done.done(); }));
  EXPECT_FALSE(ofi->has_unordered());
  EXPECT_EQ(std::memcmp(target() + data_offset, source.data(), source.size()), 0);
}

}  // namespace
}  // namespace gondwana::test
