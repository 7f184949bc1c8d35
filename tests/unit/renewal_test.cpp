#include "memory/renewal.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace gondwana::test {
namespace {

NodePlan plan_of(std::uint32_t ranks) {
  return NodePlan{NodeShare::whole(ranks), std::size_t{1} << 34};
}

bool is_emptied(const std::vector<ArenaRange>& ranges, std::size_t offset) {
  for (const ArenaRange& range : ranges)
    if (range.begin <= offset && offset < range.end) return true;
  return false;
}

TEST(Renewal, empty_memory_loses_all_but_the_facts_and_the_list_of_blocks) {
  const NodePlan plan = plan_of(4);
  const std::vector<ArenaRange> ranges = ranges_to_empty(plan, Replacement::empty);
  EXPECT_FALSE(is_emptied(ranges, system_area::facts.offset));
  EXPECT_FALSE(is_emptied(ranges, system_area::kept_heap.end() - 1));
  EXPECT_TRUE(is_emptied(ranges, system_area::data_bell.offset));
  EXPECT_TRUE(is_emptied(ranges, system_area::remote_heap.offset));
  EXPECT_TRUE(is_emptied(ranges, NodePlan::globals_offset));
  EXPECT_TRUE(is_emptied(ranges, plan.inbox_offset() - 1));
  EXPECT_TRUE(is_emptied(ranges, plan.arena_size() - 1));
}

TEST(Renewal, kept_memory_loses_the_words_of_the_engine_only) {
  const NodePlan plan = plan_of(4);
  const std::vector<ArenaRange> ranges = ranges_to_empty(plan, Replacement::kept);
  EXPECT_TRUE(is_emptied(ranges, system_area::data_bell.offset));
  EXPECT_TRUE(is_emptied(ranges, system_area::team_flags.offset));
  EXPECT_TRUE(is_emptied(ranges, plan.inbox_offset()));
  EXPECT_FALSE(is_emptied(ranges, system_area::facts.offset));
  EXPECT_FALSE(is_emptied(ranges, system_area::remote_heap.offset));
  EXPECT_FALSE(is_emptied(ranges, NodePlan::globals_offset));
  EXPECT_FALSE(is_emptied(ranges, plan.inbox_offset() - 1));
}

TEST(Renewal, ranges_are_whole_pages) {
  for (const Replacement replacement : {Replacement::empty, Replacement::kept})
    for (const ArenaRange& range : ranges_to_empty(plan_of(3), replacement)) {
      EXPECT_EQ(range.begin % 4096, 0);
      EXPECT_EQ(range.end % 4096, 0);
      EXPECT_LT(range.begin, range.end);
    }
}

TEST(Renewal, epochs_begin_above_those_of_all_ranks_that_were_started_again_earlier) {
  const auto earlier = std::make_unique<ControlPage>();
  const auto later = std::make_unique<ControlPage>();
  earlier->legacy.generation = later->legacy.generation = 3;
  for (std::uint32_t time = 1; time <= 3; ++time) {
    const std::uint32_t before = earlier->legacy.generation;
    begin_new_epochs(*earlier, 2 * time);
    EXPECT_GT(earlier->legacy.generation, before);
  }
  begin_new_epochs(*later, 8);
  EXPECT_GT(later->legacy.generation, earlier->legacy.generation);
}

TEST(Renewal, a_page_shows_no_wait_and_belongs_to_nobody) {
  const auto page = std::make_unique<ControlPage>();
  const auto threads = std::make_unique<ThreadSlots>();
  threads->used = 1;
  threads->slots[0].waiting.begin("wait", 1, Waiting::no_team, 5);
  page->sync_bell.asleep = 1;
  page->state = RankState::running;
  renew(*page, *threads, 100);
  EXPECT_EQ(threads->longest_wait(), nullptr);
  EXPECT_EQ(page->sync_bell.asleep, 0);
  EXPECT_EQ(page->state, RankState::absent);
  EXPECT_EQ(page->legacy.touched, 100);
}

}  // namespace
}  // namespace gondwana::test
