// Finds the puts and atomic updates that ended waits, and orders events.
#include "observe/trace/flows.hpp"

#include <gtest/gtest.h>

namespace gondwana::trace {
namespace {

constexpr std::uint64_t heap = 0x1000;
constexpr std::uint64_t globals = 0x9000;

// Its memory has different addresses than other ranks' memory.
RankTrace rank_of(std::uint32_t number, std::vector<Event> events) {
  RankTrace rank{.rank = number,
                 .heap = heap * (number + 1),
                 .heap_size = 0x800,
                 .globals = globals * (number + 1),
                 .globals_size = 0x100};
  rank.threads.push_back({.events = std::move(events)});
  return rank;
}

Event put(std::uint32_t from, std::uint32_t to, std::uint64_t offset, std::int64_t begin,
          std::uint64_t bytes = 8) {
  return {.kind = EventKind::put,
          .peer = to,
          .begin_ns = begin,
          .duration_ns = 1,
          .place = heap * (from + 1) + offset,
          .bytes = bytes};
}

Event wait(std::uint32_t rank, std::uint64_t offset, std::int64_t end, std::uint64_t bytes = 8) {
  return {.kind = EventKind::word_wait,
          .begin_ns = 0,
          .duration_ns = end,
          .place = heap * (rank + 1) + offset,
          .bytes = bytes};
}

NodeTrace node_of(std::vector<RankTrace> ranks) {
  return {.node = 0, .ranks = std::move(ranks)};
}

using Numbers = std::vector<std::pair<std::size_t, std::size_t>>;

// Events of rank 0 and of rank 1.
Numbers numbers(const std::vector<Flow>& flows) {
  Numbers found;
  for (const Flow& flow : flows) found.emplace_back(flow.from.event, flow.to.event);
  return found;
}

TEST(flows, the_last_update_before_the_end_of_a_wait_ends_it) {
  const std::vector<NodeTrace> nodes{
      node_of({rank_of(0, {put(0, 1, 8, 10), put(0, 1, 8, 20), put(0, 1, 8, 40)}),
               rank_of(1, {wait(1, 8, 30)})})};
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{1, 0}}));
}

TEST(flows, an_update_ends_one_wait) {
  const std::vector<NodeTrace> nodes{node_of({rank_of(0, {put(0, 1, 8, 10), put(0, 1, 8, 20)}),
                                              rank_of(1, {wait(1, 8, 40), wait(1, 8, 30)})})};
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{1, 1}}));
}

TEST(flows, other_words_and_other_ranks_do_not_count) {
  const std::vector<NodeTrace> nodes{
      node_of({rank_of(0, {put(0, 1, 8, 10), put(0, 2, 16, 20), put(0, 1, 24, 25)}),
               rank_of(1, {wait(1, 16, 30)})})};
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{}));
}

TEST(flows, a_large_put_covers_a_word_and_a_wait_covers_several) {
  const std::vector<NodeTrace> nodes{
      node_of({rank_of(0, {put(0, 1, 0, 10, 64)}), rank_of(1, {wait(1, 56, 30)})}),
      node_of({rank_of(2, {put(2, 3, 24, 10)}), rank_of(3, {wait(3, 0, 30, 64)})})};
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{0, 0}, {0, 0}}));
}

TEST(flows, globals_lie_elsewhere_on_each_rank) {
  Event update = put(0, 1, 0, 10);
  update.kind = EventKind::atomic;
  update.place = globals + 4;
  Event awaited = wait(1, 0, 30);
  awaited.place = 2 * globals + 4;
  const std::vector<NodeTrace> nodes{node_of({rank_of(0, {update}), rank_of(1, {awaited})})};
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{0, 0}}));
}

TEST(flows, clocks_of_hosts_are_taken_into_account) {
  std::vector<NodeTrace> nodes{node_of({rank_of(0, {put(0, 1, 8, 10), put(0, 1, 8, 50)})}),
                               node_of({rank_of(1, {wait(1, 8, 1030)})})};
  nodes[1].node = 1;
  nodes[1].ahead_ns = 1000;
  nodes[1].error_ns = 5;
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{0, 0}}));
  auto& puts = nodes[0].ranks[0].threads[0].events;
  puts.erase(puts.begin());
  EXPECT_EQ(numbers(find_flows(nodes)), Numbers{});
  nodes[1].error_ns = 30;  // the second put may have come before
  EXPECT_EQ(numbers(find_flows(nodes)), (Numbers{{0, 0}}));
}

TEST(put_in_order, what_lies_within_another_ends_with_it) {
  std::vector<Event> events(3);
  events[0] = {.begin_ns = 10, .duration_ns = 30};
  events[1] = {.begin_ns = 0, .duration_ns = 20};
  events[2] = {.begin_ns = 0, .duration_ns = 50};
  put_in_order(events);
  EXPECT_EQ(events[0].duration_ns, 50);
  EXPECT_EQ(events[1].duration_ns, 20);
  EXPECT_EQ(events[2].begin_ns, 10);
  EXPECT_EQ(events[2].end_ns(), 20);
}

TEST(keep_last, what_ended_earlier_is_left_out) {
  std::vector<NodeTrace> nodes{
      node_of({rank_of(0, {put(0, 1, 0, 10), put(0, 1, 0, 90)}), rank_of(1, {wait(1, 0, 99)})})};
  keep_last(nodes, 20);
  EXPECT_EQ(nodes[0].ranks[0].threads[0].events.size(), 1U);
  EXPECT_EQ(nodes[0].ranks[1].threads[0].events.size(), 1U);
  keep_last(nodes, 0);
  EXPECT_EQ(nodes[0].ranks[0].threads[0].events.size(), 1U);
}

}  // namespace
}  // namespace gondwana::trace
