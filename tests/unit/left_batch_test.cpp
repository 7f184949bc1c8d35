// A rank that posts small operations and then makes no calls: the agent of its node sends the
// batch.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::size_t cell_offset = NodePlan::globals_offset;
constexpr std::size_t cells = 64;

// Rank 0 and rank 1 on different nodes. Rank 0 puts to rank 1.
class LeftBatch : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    const bool through_agent = GetParam() == std::string("agent");
    for (std::uint32_t node = 0; node < 2; ++node) {
      Result<std::shared_ptr<NodeMemory>> memory = NodeMemory::create({1, node, node, 2, 2});
      ASSERT_TRUE(memory) << memory.error().text;
      memory_.push_back(*std::move(memory));
    }
    agents_ = start_agents(memory_, {.carries = through_agent});
    Result<std::unique_ptr<RemoteClient>> rank =
        RemoteClient::open({.memory = memory_[0],
                            .me = Rank(0),
                            .job_tag = job_tag,
                            .settings = loopback_network(),
                            .through_agent = through_agent});
    ASSERT_TRUE(rank) << rank.error().text;
    rank_ = *std::move(rank);
    put(0, 0);
    ASSERT_TRUE(until([&] { return pending_.done(); }, [this] { rank_->progress(); }));
  }

  void put(std::size_t cell, std::uint64_t value) {
    const auto is_accepted = [&] {
      const Result<Posted> posted = rank_->put({Rank(1), cell_offset + 8 * cell},
                                               std::as_bytes(std::span(&value, 1)), pending_);
      return posted && *posted == Posted::accepted;
    };
    ASSERT_TRUE(until(is_accepted, [this] { rank_->progress(); }));
  }
  std::uint64_t value_at(std::size_t cell) const {
    auto& word =
        *reinterpret_cast<std::uint64_t*>(memory_[1]->window(Rank(1)) + cell_offset + 8 * cell);
    return std::atomic_ref(word).load(std::memory_order_acquire);
  }
  // The rank makes no calls meanwhile. Returns false after a timeout.
  bool arrives(std::size_t cell, std::uint64_t value) const {
    return until([&] { return value_at(cell) == value; }, [] { std::this_thread::yield(); });
  }
  bool completes() {
    return until([this] { return pending_.done(); }, [this] { rank_->progress(); });
  }

 private:
  static bool until(const std::function<bool()>& done, const std::function<void()>& meanwhile) {
    for (const auto end = steady_clock::now() + seconds(20); steady_clock::now() < end; meanwhile())
      if (done()) return true;
    return done();
  }

  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::unique_ptr<RemoteClient> rank_;
  Completion pending_;
};

INSTANTIATE_TEST_SUITE_P(by, LeftBatch, testing::Values("endpoint", "agent"),
                         [](const auto& route) { return std::string(route.param); });

// 4,000 tries with one to eight operations; each try ends when all of them have arrived. If other
// programs keep all processors busy, as many tries as five seconds allow.
TEST_P(LeftBatch, arrives_although_the_rank_makes_no_call) {
  const std::uint64_t seed = testing::UnitTest::GetInstance()->random_seed();
  std::mt19937_64 random(seed);
  constexpr std::uint64_t tries = 4'000;
  const auto end = steady_clock::now() + seconds(5);
  for (std::uint64_t number = 1; number <= tries; ++number) {
    if (steady_clock::now() > end) break;
    const std::size_t count = 1 + random() % 8;
    for (std::size_t i = 0; i < count; ++i) put(random() % (cells - 1), number * 100 + i);
    put(cells - 1, number);
    ASSERT_TRUE(arrives(cells - 1, number)) << "try " << number << ", seed " << seed;
    if (random() % 2 == 0) {
      ASSERT_TRUE(completes()) << "try " << number << ", seed " << seed;
    }
  }
  EXPECT_TRUE(completes());
}

// Batches that the agent sent and batches that the rank sent are executed in the order of posting.
TEST_P(LeftBatch, keeps_the_order_of_the_rank) {
  const std::uint64_t seed = testing::UnitTest::GetInstance()->random_seed();
  std::mt19937_64 random(seed);
  std::uint64_t last = 0;
  for (std::uint64_t value = 1; value <= 20'000; ++value) {
    put(0, value);
    if (random() % 500 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    const std::uint64_t seen = value_at(0);
    ASSERT_GE(seen, last) << "seed " << seed;
    last = seen;
  }
  EXPECT_TRUE(arrives(0, 20'000));
  EXPECT_TRUE(completes());
}

}  // namespace
}  // namespace gondwana::test
