#include "memory/node_plan.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

NodePlan plan_of(std::uint32_t ranks) {
  NodePlan plan{NodeShare::whole(ranks)};
  plan.stride = huge_page;
  return plan;
}

TEST(NodePlan, EachArenaHasAFileUpToTheLimit) {
  for (const std::uint32_t ranks : {1U, 2U, 64U}) {
    const NodePlan plan = plan_of(ranks);
    EXPECT_EQ(plan.arena_files(), ranks);
    EXPECT_EQ(plan.place_in_file(ranks - 1), 0U);
    EXPECT_EQ(plan.file_size(ranks - 1), plan.arena_size());
  }
}

TEST(NodePlan, LargeJobsHaveFewFilesThatHoldEachArenaOnce) {
  for (const std::uint32_t ranks : {65U, 130U, 1000U, 1U << 20U}) {
    const NodePlan plan = plan_of(ranks);
    EXPECT_LE(plan.arena_files(), NodePlan::max_file_mappings / ranks + 1);
    std::uint32_t slot = 0;
    for (std::uint32_t file = 0; file < plan.arena_files(); ++file) {
      ASSERT_GT(plan.arenas_in_file(file), 0U);
      for (std::uint32_t i = 0; i < plan.arenas_in_file(file); ++i, ++slot)
        ASSERT_EQ(plan.place_in_file(slot), i * plan.stride) << ranks;
      ASSERT_EQ(plan.file_size(file), plan.place_in_file(slot - 1) + plan.arena_size());
    }
    EXPECT_EQ(slot, ranks);
  }
}

}  // namespace
}  // namespace gondwana
