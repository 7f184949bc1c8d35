// Events in rings, as written by their thread and read by others.
#include "tracing/trace_place.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/mapping.hpp"
#include "core/ticks.hpp"
#include "observe/trace/node_trace.hpp"
#include "tracing/tracer.hpp"

namespace gondwana {
namespace {

constexpr std::size_t room = min_ring_size / sizeof(StoredEvent);

// The control memory of a node with one rank.
class Rings : public testing::Test {
 protected:
  Rings() {
    facts_.ranks = {0, 1};
    facts_.nodes = facts_.node_slots = facts_.job_ranks = facts_.slots = 1;
    facts_.ring_size = min_ring_size;
    Result<UniqueFd> file = create_memfd("trace-test", layout_.size());
    EXPECT_TRUE(file);
    Result<Mapping> mapping = Mapping::shared(*file, layout_.size());
    EXPECT_TRUE(mapping);
    memory_ = *std::move(mapping);
    Tracer::open(shared_at<TracePlace>(memory_.data(), layout_.trace(0)), min_ring_size);
  }
  ~Rings() override { Tracer::close(); }

  // As a process that replaces one that was killed.
  void open_again() {
    Tracer::close();
    Tracer::open(shared_at<TracePlace>(memory_.data(), layout_.trace(0)), min_ring_size);
  }

  trace::RankTrace read() const {
    const trace::NodeTrace node = trace::read_node(memory_.data(), facts_);
    EXPECT_EQ(node.ranks.size(), 1U);
    return node.ranks.front();
  }

  NodeFacts facts_{};
  ControlLayout layout_{1, 1, min_ring_size};
  Mapping memory_;
};

TEST_F(Rings, an_event_is_read_as_it_was_written) {
  const std::uint64_t now = shared_at<TracePlace>(memory_.data(), layout_.trace(0)).first_ticks;
  Tracer::ring()->add({.begin = now + 5,
                       .duration = 7,
                       .kind = EventKind::put,
                       .name = Tracer::number_of("shmem_putmem"),
                       .peer = 3,
                       .place = 0x7fff'1234'5678,
                       .bytes = 4096,
                       .site = 4096});
  const trace::RankTrace rank = read();
  ASSERT_EQ(rank.threads.size(), 1U);
  ASSERT_EQ(rank.threads[0].events.size(), 1U);
  const trace::Event& event = rank.threads[0].events[0];
  EXPECT_EQ(rank.names[event.name], "shmem_putmem");
  EXPECT_EQ(event.kind, EventKind::put);
  EXPECT_EQ(event.peer, 3U);
  EXPECT_EQ(event.site, 4096U);
  EXPECT_EQ(event.place, 0x7fff'1234'5678U);
  EXPECT_EQ(event.bytes, 4096U);
  EXPECT_FALSE(event.is_open);
}

TEST_F(Rings, the_largest_values_are_limited_and_not_mixed_up) {
  StoredEvent stored{};
  stored.store({.begin = ~std::uint64_t{0},
                .kind = EventKind::batch,
                .name = 0xffff,
                .peer = ~std::uint32_t{0},
                .place = ~std::uint64_t{0},
                .bytes = ~std::uint64_t{0}});
  stored.end(~std::uint64_t{0});
  const TraceEvent event = stored.load();
  EXPECT_EQ(event.duration, StoredEvent::longest);
  EXPECT_EQ(event.kind, EventKind::batch);
  EXPECT_EQ(event.name, 0xffff);
  EXPECT_EQ(event.peer, TraceEvent::nobody);
  EXPECT_EQ(event.bytes, (std::uint64_t{1} << 40) - 1);
}

TEST_F(Rings, a_long_duration_is_stored_to_a_part_in_a_million) {
  StoredEvent stored{};
  stored.store({.kind = EventKind::wait});
  EXPECT_EQ(stored.load().duration, TraceEvent::open);
  for (const std::uint64_t hours : {0, 1, 24}) {
    const std::uint64_t ticks = 7 + hours * 3600 * 3'000'000'000;
    stored.end(ticks);
    EXPECT_LE(ticks - stored.load().duration, ticks / 1'000'000);
  }
  stored.end(TraceEvent::open);  // a duration like any other
  EXPECT_EQ(stored.load().duration, StoredEvent::longest);
}

TEST_F(Rings, a_ring_that_the_program_has_damaged_is_read_within_its_place) {
  TraceRing& ring = *Tracer::ring();
  ring.add({.begin = ticks(), .duration = 1});
  ring.room.store(std::uint64_t{1} << 60);
  ring.written.store(~std::uint64_t{0} - 3);
  EXPECT_LE(read().threads[0].events.size(), room);
}

TEST_F(Rings, an_event_that_has_not_ended_is_open) {
  TraceRing& ring = *Tracer::ring();
  const std::uint64_t outer = ring.begin({.begin = ticks(), .kind = EventKind::call});
  ring.add({.begin = ticks(), .duration = 1, .kind = EventKind::wait});
  EXPECT_TRUE(read().threads[0].events[0].is_open);
  ring.end(outer, 100);
  EXPECT_FALSE(read().threads[0].events[0].is_open);
}

TEST_F(Rings, an_event_of_a_process_that_was_replaced_ends_with_it) {
  Tracer::ring()->begin({.begin = ticks(), .kind = EventKind::word_wait});
  open_again();
  Tracer::ring()->begin({.begin = ticks(), .kind = EventKind::call});
  const std::vector<trace::Event> events = read().threads[0].events;
  ASSERT_EQ(events.size(), 2U);
  EXPECT_FALSE(events[0].is_open);
  EXPECT_LE(events[0].end_ns(), events[1].begin_ns);
  EXPECT_TRUE(events[1].is_open);
}

TEST_F(Rings, new_events_take_the_place_of_the_oldest) {
  TraceRing& ring = *Tracer::ring();
  const std::uint64_t first = ring.begin({.begin = ticks(), .kind = EventKind::get});
  for (std::size_t i = 0; i < room + 10; ++i)
    ring.add({.begin = ticks(), .duration = 1, .kind = EventKind::put, .bytes = i});
  ring.end(first, 5);  // its place has another event
  const trace::ThreadTrace thread = read().threads[0];
  EXPECT_EQ(thread.replaced + thread.events.size(), room + 11);
  EXPECT_GE(thread.events.size(), room - 1);  // the oldest may be overwritten soon
  EXPECT_EQ(thread.events.back().bytes, room + 9);
  for (const trace::Event& event : thread.events) EXPECT_EQ(event.kind, EventKind::put);
}

TEST_F(Rings, a_call_has_one_site_which_lies_in_the_program) {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const std::uint16_t site = Tracer::add_site(address);
  EXPECT_NE(site, 0);
  EXPECT_EQ(Tracer::add_site(address), site);
  EXPECT_EQ(Tracer::sites()->find(address), site);
  EXPECT_EQ(Tracer::sites()->find(address + 1), 0);
  const trace::RankTrace rank = read();
  ASSERT_EQ(rank.sites.size(), 1U);
  EXPECT_EQ(rank.sites[0].number, site);
  const trace::Module& module = rank.modules.at(rank.sites[0].module);
  EXPECT_EQ(module.base + rank.sites[0].address, address);
  EXPECT_TRUE(rank.modules.front().file.ends_with("unit_tests"));
}

TEST_F(Rings, a_name_has_one_number_and_many_have_none) {
  const std::uint16_t put = Tracer::number_of("put");
  EXPECT_EQ(Tracer::number_of("put"), put);
  EXPECT_NE(Tracer::number_of("get"), put);
  for (std::size_t i = 0; i < TracePlace::max_names; ++i)
    Tracer::number_of(std::to_string(i).c_str());
  EXPECT_EQ(Tracer::number_of("one too many"), 0);
  EXPECT_EQ(Tracer::number_of("put"), put);
}

TEST_F(Rings, each_thread_has_its_ring_and_leaves_it_to_the_next) {
  TraceRing* const mine = Tracer::ring();
  TraceRing* first = nullptr;
  TraceRing* second = nullptr;
  std::thread([&] { first = Tracer::ring(); }).join();
  std::thread([&] { second = Tracer::ring(); }).join();
  EXPECT_NE(first, mine);
  EXPECT_EQ(second, first);
  std::vector<std::thread> threads;
  threads.reserve(TracePlace::rings);
  std::atomic<std::size_t> asked{0};
  std::atomic<std::size_t> without{0};
  for (std::size_t i = 0; i < TracePlace::rings; ++i)
    threads.emplace_back([&] {
      if (Tracer::ring() == nullptr) ++without;
      for (++asked; asked < TracePlace::rings;) std::this_thread::yield();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(without, 1U);
  EXPECT_EQ(read().untraced, 1U);
}

TEST_F(Rings, a_tracer_that_is_opened_again_goes_on) {
  const std::uint16_t name = Tracer::number_of("again");
  Tracer::ring()->add({.begin = ticks(), .duration = 1});
  Tracer::close();
  EXPECT_EQ(Tracer::ring(), nullptr);
  Tracer::open(shared_at<TracePlace>(memory_.data(), layout_.trace(0)), min_ring_size);
  EXPECT_EQ(Tracer::number_of("again"), name);
  Tracer::ring()->add({.begin = ticks(), .duration = 1});
  EXPECT_EQ(read().threads[0].events.size(), 2U);
}

}  // namespace
}  // namespace gondwana
