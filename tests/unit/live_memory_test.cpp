// Tools and guardians read control memory that the program damages meanwhile: whatever it contains,
// they return, and what they have validated does not change.
#include "memory/live.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/machine.hpp"
#include "core/ticks.hpp"
#include "memory/stillness.hpp"
#include "observe/jobs/found_jobs.hpp"
#include "observe/jobs/listing.hpp"
#include "observe/jobs/watch.hpp"
#include "observe/trace/flows.hpp"
#include "observe/trace/job_trace.hpp"
#include "observe/trace/wire.hpp"
#include "report/top/metrics.hpp"
#include "report/top/table.hpp"
#include "report/why/diagnosis.hpp"
#include "run/node/diagnosis.hpp"
#include "run/node/wire_up.hpp"

namespace gondwana {
namespace {

using std::chrono::milliseconds;

constexpr NodeShare share{.ranks = 3, .first = 1, .node = 1, .nodes = 2, .job_ranks = 5};

// The memory of a traced job, as its guardian creates it.
class Damage : public testing::Test {
 protected:
  Damage()
      : wire_(share, 7, Environment([](const char* name) {
                const std::string_view wanted = name;
                return wanted == "GONDWANA_TRACE"        ? "yes"
                       : wanted == "GONDWANA_TRACE_SIZE" ? "4K"
                                                         : nullptr;
              })) {
    EXPECT_TRUE(wire_.join(0));
    layout_.emplace(wire_.plan());
    memory_ = map();
    parts_ = {{0, layout_->entry(0)},                       // header, pages and threads
              {layout_->entry(0), layout_->relay(0)},       // nodes
              {layout_->trace(0), layout_->scratch(0, 0)},  // events
              {layout_->shown_team(0, 0), layout_->size()}};
    for (std::uint32_t local = 0; local < share.ranks; ++local) write_page(local);
    auto& entry = shared_at<NodeEntry>(memory_.data(), layout_->entry(share.node));
    entry.contact = layout_->contacts();
    entry.info.address_size = 16;
    entry.info.key_size = 8;
    entry.state = NodeState::known;
    for (const Part& part : parts_)
      whole_.emplace_back(memory_.data() + part.begin, memory_.data() + part.end);
  }

  Mapping map() const {
    Result<Mapping> mapping = Mapping::shared(wire_.control(), layout_->size());
    EXPECT_TRUE(mapping);
    return *std::move(mapping);
  }

  void write_page(std::uint32_t local) {
    auto& page = shared_at<ControlPage>(memory_.data(), layout_->page(local));
    page.state = RankState::running;
    page.presence.process = static_cast<std::uint32_t>(::getpid());
    auto& threads = shared_at<ThreadSlots>(memory_.data(), layout_->threads(local));
    threads.used = 2;
    threads.slots[0].waiting.begin("shmem_barrier_all", Waiting::any_rank, 0, monotonic_ns());
    auto& place = shared_at<TracePlace>(memory_.data(), layout_->trace(local));
    const ClockPair now = read_clocks();
    place.first_ticks = now.ticks;
    place.first_ns = now.ns;
    place.names_known = 3;
    TraceRing& ring = place.ring(0, min_ring_size);
    ring.thread = 1;
    ring.room = min_ring_size / sizeof(StoredEvent);
    for (int i = 0; i < 200; ++i) ring.add({.begin = now.ticks, .duration = 5, .name = 1});
  }

  void restore() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      std::memcpy(memory_.data() + parts_[i].begin, whole_[i].data(), whole_[i].size());
  }

  // Overwrites a part, or some words of it, with random bytes or edge values.
  void scribble(std::mt19937_64& random) {
    static constexpr std::array<std::uint64_t, 10> edges{
        0,          1,          ~std::uint64_t{0}, std::uint64_t{1} << 63, ~std::uint64_t{0} >> 1,
        0x7fffffff, 0x80000000, 0xffffffff,        0x7f7f7f7f7f7f7f7f,     std::uint64_t{1} << 40};
    const Part& part = parts_[random() % parts_.size()];
    const bool any_bytes = random() % 2 == 0;
    const auto value = [&] { return any_bytes ? random() : edges[random() % edges.size()]; };
    const auto write = [&](std::size_t offset) {
      const std::uint64_t word = value();
      std::memcpy(memory_.data() + offset, &word, sizeof(word));
    };
    if (random() % 8 == 0) {
      for (std::size_t at = part.begin; at < part.end; at += sizeof(std::uint64_t)) write(at);
      return;
    }
    for (std::uint64_t words = 1 + random() % 64; words > 0; --words)
      write(part.begin + random() % ((part.end - part.begin) / 4 - 1) * 4);
  }

  // Reads like the tools. It examines the job that was found before the damage.
  static void look_as_tools(const jobs::FoundJob& job, bool with_events) {
    const jobs::JobSeen seen = jobs::watch(job, milliseconds(0));
    EXPECT_EQ(seen.seen.size(), share.ranks);
    EXPECT_FALSE(why::diagnose(seen).sentences.empty());
    for (const bool by_node : {false, true}) top::table_of(seen, {.by_node = by_node});
    top::to_json(seen);
    top::to_metrics(seen);
    for (std::uint32_t node = 0; node < job.facts().nodes; ++node) job.nodes[0].host_of(node);
    if (!with_events) return;
    std::vector<trace::NodeTrace> nodes =
        trace::trace_job(job, milliseconds(0), [] { return true; });
    ASSERT_EQ(nodes.size(), 1U);
    EXPECT_TRUE(trace::decode(trace::encode(nodes[0])));
    trace::keep_last(nodes, 1000);
    trace::find_flows(nodes);
    trace::find_barriers(nodes);
    trace::find_lock_flows(nodes);
  }

  void look_as_guardian() const {
    std::vector<Survivor> survivors;
    for (std::uint32_t local = 0; local < share.ranks; ++local) {
      survivors.push_back({share.first + local, wire_.pages(local)});
      const launch::Death death{
          .rank = share.first + local,
          .wait_status = SIGSEGV,
          .remains = launch::remains_of(wire_.pages(local), true, monotonic_ns())};
      EXPECT_TRUE(launch::ends_job(death.wait_status, death.remains.state));
      EXPECT_NE(launch::describe(death, 2).find("was killed by SIGSEGV"), std::string::npos);
      EXPECT_LE(wire_.state(local), RankState::finalized);
    }
    EXPECT_FALSE(describe_ranks(survivors).empty());
    text_in(wire_.header().why);
    const auto contact = wire_.own_contact();
    EXPECT_LE(contact ? contact->pack().size() : 0,
              sizeof(NodeInfo) + NodeInfo::longest_address + NodeInfo::longest_key);
    EXPECT_EQ(wire_.facts().ranks.size(), share.ranks);
    EXPECT_EQ(wire_.facts().ring_size, min_ring_size);
  }

  struct Part {
    std::size_t begin;
    std::size_t end;
  };

  launch::WireUp wire_;
  std::optional<ControlLayout> layout_;
  Mapping memory_;
  std::vector<Part> parts_;  // those that tools read
  std::vector<std::vector<std::byte>> whole_;
};

jobs::FoundJob job_in(Mapping memory) {
  const std::optional<NodeFacts> facts = jobs::read_facts(memory);
  jobs::FoundJob job;
  if (facts) job.nodes.emplace_back(std::move(memory), *facts, ::getpid(), ::geteuid());
  return job;
}

TEST_F(Damage, what_is_well_is_found) {
  const jobs::FoundJob job = job_in(map());
  ASSERT_EQ(job.nodes.size(), 1U);
  EXPECT_EQ(job.facts().job_ranks, share.job_ranks);
  EXPECT_EQ(job.nodes[0].process(0), ::getpid());
  const auto nodes = trace::trace_job(job, milliseconds(0), [] { return true; });
  ASSERT_EQ(nodes[0].ranks.size(), share.ranks);
  EXPECT_GE(nodes[0].ranks[0].threads[0].events.size(), 100U);
  EXPECT_TRUE(wire_.own_contact());
}

TEST_F(Damage, facts_that_cannot_be_are_no_job) {
  NodeFacts& facts = shared_at<NodeHeader>(memory_.data(), 0).facts;
  const NodeFacts whole = facts;
  const auto is_found = [&](auto&& change) {
    facts = whole;
    change();
    return !job_in(map()).nodes.empty();
  };
  EXPECT_TRUE(is_found([] {}));
  EXPECT_FALSE(is_found([&] { facts.layout ^= 1; }));
  EXPECT_FALSE(is_found([&] { facts.ranks = {1, 0}; }));
  EXPECT_FALSE(is_found([&] { facts.slots = 2; })) << "fewer than ranks";
  EXPECT_FALSE(is_found([&] { facts.ranks = {1, 1U << 28}; }));
  EXPECT_FALSE(is_found([&] { facts.ranks = {~0U, 3}; }));
  EXPECT_FALSE(is_found([&] { facts.node = 2; }));
  EXPECT_FALSE(is_found([&] { facts.nodes = ~0U; }));
  EXPECT_FALSE(is_found([&] { facts.job_ranks = 3; }));
  EXPECT_FALSE(is_found([&] { facts.ring_size = 0; }));
  EXPECT_FALSE(is_found([&] { facts.ring_size = 4095; }));
  EXPECT_FALSE(is_found([&] { facts.ring_size = ~std::uint64_t{0}; }));
  EXPECT_FALSE(is_found([&] { facts.teams -= 64; }));
  EXPECT_FALSE(is_found([&] { facts.teams = ~std::uint64_t{0}; }));
}

TEST_F(Damage, who_looks_at_damaged_memory_comes_back) {
  const jobs::FoundJob job = job_in(map());
  ASSERT_EQ(job.nodes.size(), 1U);
  constexpr std::uint64_t rounds = 500;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::mt19937_64 random(round);
    if (round % 4 == 0) restore();
    scribble(random);
    look_as_tools(job, round % 16 == 0);
    look_as_guardian();
    const jobs::FoundJob again = job_in(map());
    if (!again.nodes.empty()) look_as_tools(again, false);
    if (HasFailure()) return;
  }
}

TEST_F(Damage, who_looks_while_memory_is_damaged_comes_back) {
  const jobs::FoundJob job = job_in(map());
  ASSERT_EQ(job.nodes.size(), 1U);
  std::atomic<bool> is_over{false};
  std::thread scribbler([&] {
    for (std::uint64_t seed = 0; !is_over; ++seed) {
      std::mt19937_64 random(seed);
      scribble(random);
      if (seed % 4 == 0) restore();
    }
  });
  constexpr int rounds = 500;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    look_as_tools(job, round % 16 == 0);
    look_as_guardian();
    const jobs::FoundJob again = job_in(map());
    if (!again.nodes.empty()) look_as_tools(again, round % 16 == 0);
  }
  is_over = true;
  scribbler.join();
}

}  // namespace
}  // namespace gondwana
