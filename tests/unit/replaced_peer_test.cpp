// A process replaces one that has ended: it has the same rank, and starts again.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "remote/client/client.hpp"
#include "support/agents.hpp"

namespace gondwana::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t offset = NodePlan::globals_offset;

// Ranks 0 and 1 on different nodes. Rank 0 is replaced.
class ReplacedPeer : public testing::TestWithParam<bool> {
 protected:
  static bool through_agent() { return GetParam(); }

  void SetUp() override {
    if (!has_network()) GTEST_SKIP() << "no libfabric here";
    for (std::uint32_t node = 0; node < 2; ++node)
      memory_.push_back(*NodeMemory::create({1, node, node, 2, 2}));
    agents_ = start_agents(memory_, {.carries = through_agent()});
    for (std::uint32_t rank = 0; rank < 2; ++rank) open(rank, 0);
  }

  void open(std::uint32_t rank, std::uint32_t incarnation) {
    heard_[rank].clear();
    ranks_[rank].reset();
    ranks_[rank] = *RemoteClient::open({.memory = memory_[rank],
                                        .me = Rank(rank),
                                        .incarnation = incarnation,
                                        .job_tag = job_tag,
                                        .settings = loopback_network(),
                                        .through_agent = through_agent()});
    ranks_[rank]->listen([this, rank](Rank, Bytes text) {
      heard_[rank].emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    });
  }
  bool progress_until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
      if (done()) return true;
      for (const auto& rank : ranks_) rank->progress();
    }
    return false;
  }
  void send(std::uint32_t from, const std::string& text, Departure departure) {
    const Bytes bytes = std::as_bytes(std::span(text));
    EXPECT_TRUE(progress_until([&] {
      const auto posted = ranks_[from]->send_message(Rank(1 - from), bytes, {}, departure);
      return posted && *posted == Posted::accepted;
    }));
  }
  bool hears(std::uint32_t rank, const std::vector<std::string>& texts) {
    return progress_until([&] { return heard_[rank] == texts; });
  }
  // Rank 0 adds to a word of rank 1, in many batches.
  std::uint64_t add_often() {
    Completion done;
    std::uint64_t old = 0;
    const AtomicRequest one{AtomicOp::add, AtomicType::uint64, 1};
    for (int i = 0; i < 100; ++i)
      EXPECT_TRUE(progress_until([&] {
        const auto posted =
            ranks_[0]->atomic({Rank(1), offset}, one, reinterpret_cast<std::byte*>(&old), done);
        return posted && *posted == Posted::accepted;
      }));
    EXPECT_TRUE(progress_until([&] { return done.done(); }));
    return old;
  }

 private:
  Nodes memory_;
  std::vector<std::unique_ptr<AgentThread>> agents_;
  std::array<std::vector<std::string>, 2> heard_;
  std::array<std::unique_ptr<RemoteClient>, 2> ranks_;
};

TEST_P(ReplacedPeer, is_met_anew) {
  for (const char* text : {"1", "2", "3"}) send(0, text, Departure::at_once);
  for (const char* text : {"a", "b"}) send(1, text, Departure::at_once);
  EXPECT_TRUE(hears(1, {"1", "2", "3"}));
  EXPECT_TRUE(hears(0, {"a", "b"}));
  EXPECT_EQ(add_often(), 99U);
  open(0, 1);
  EXPECT_EQ(add_often(), 199U);
  send(0, "4", Departure::may_wait);
  send(0, "5", Departure::at_once);
  EXPECT_TRUE(hears(1, {"1", "2", "3", "4", "5"}));
  send(1, "c", Departure::may_wait);
  send(1, "d", Departure::at_once);
  EXPECT_TRUE(hears(0, {"c", "d"}));
}

INSTANTIATE_TEST_SUITE_P(routes, ReplacedPeer, testing::Bool(), [](const auto& each) {
  return std::string(each.param ? "agent" : "endpoint");
});

}  // namespace
}  // namespace gondwana::test
