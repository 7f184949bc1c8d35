#include "memory/roster.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "memory/death_list.hpp"
#include "memory/node_memory.hpp"
#include "support/nodes.hpp"

namespace gondwana::test {
namespace {

std::vector<std::uint32_t> numbers(const NodeRanks& ranks) {
  std::vector<std::uint32_t> result;
  for (const Rank rank : ranks) result.push_back(index(rank));
  return result;
}

TEST(NodeRanks, each_has_a_slot_and_others_have_none) {
  const NodeRanks ranks(3, 2);
  EXPECT_EQ(numbers(ranks), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(ranks.front(), Rank(3));
  EXPECT_EQ(ranks.back(), Rank(4));
  EXPECT_EQ(ranks[ranks.slot_of(Rank(4))], Rank(4));
  EXPECT_FALSE(ranks.holds(Rank(2)));
  EXPECT_FALSE(ranks.holds(Rank(5)));
  EXPECT_TRUE(numbers({7, 0}).empty());
}

TEST(NodeRanks, no_two_nodes_have_the_same_rank) {
  EXPECT_TRUE(NodeRanks(3, 2).meets({4, 8}));
  EXPECT_TRUE(NodeRanks(4, 8).meets({3, 2}));
  EXPECT_FALSE(NodeRanks(3, 2).meets({5, 1}));
  EXPECT_TRUE(NodeRanks(3, 2).are_among(5));
  EXPECT_FALSE(NodeRanks(3, 2).are_among(4));
  EXPECT_FALSE(NodeRanks(3, ~0U).are_among(8)) << "their number is checked without overflow";
}

TEST(Roster, a_node_alone_has_all_ranks_and_knows_all_nodes) {
  const auto memory = get_or_abort(NodeMemory::create(NodeShare::whole(2)));
  const Roster& roster = memory->roster();
  EXPECT_EQ(roster.size(), 2);
  EXPECT_EQ(roster.capacity(), 2);
  EXPECT_TRUE(roster.knows_all_nodes());
  EXPECT_EQ(roster.where(Rank(1)).node, 0);
  EXPECT_EQ(roster.where(Rank(1)).slot, 1);
}

TEST(Roster, a_job_grows_up_to_its_capacity) {
  NodeShare share = NodeShare::whole(2);
  share.max_ranks = 5;
  const auto memory = get_or_abort(NodeMemory::create(share));
  const Roster& roster = memory->roster();
  EXPECT_EQ(roster.size(), 2);
  EXPECT_EQ(roster.capacity(), 5);
  EXPECT_FALSE(roster.is_here(Rank(3)));
  memory->header().growth.added = 2;
  EXPECT_EQ(numbers(roster.here()), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(roster.size(), 4);
  EXPECT_EQ(roster.first_size(), 2);
  EXPECT_TRUE(roster.is_here(Rank(3)));
  *memory->window(Rank(4)) = std::byte{1};  // mapped from the start
  memory->header().growth.added = ~0U;
  EXPECT_EQ(roster.size(), 5) << "a damaged number is bounded";
}

TEST(Roster, a_job_on_several_nodes_grows_by_nodes) {
  // Node 2 of 3 and ranks 4 and 5 of 6 are added; two more ranks may be.
  const auto memory = get_or_abort(NodeMemory::create({2, 4, 2, 2, 4, 0, 8}));
  const Roster& roster = memory->roster();
  EXPECT_EQ(roster.capacity(), 8);
  EXPECT_EQ(roster.node_slots(), 6) << "each further node has a rank";
  EXPECT_EQ(roster.nodes(), 2);
  EXPECT_EQ(roster.size(), 4);
  for (std::uint32_t node = 0; node < 2; ++node) {
    memory->entry(node).info.ranks = {2 * node, 2};
    memory->entry(node).state.store(NodeState::known);
  }
  memory->header().growth.added = 2;
  memory->header().growth.nodes = 1;
  EXPECT_EQ(roster.size(), 6);
  EXPECT_EQ(roster.nodes(), 3);
  EXPECT_EQ(numbers(roster.here()), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(roster.where(Rank(5)).node, 2);
  EXPECT_EQ(roster.where(Rank(5)).slot, 1);
  EXPECT_EQ(roster.where(Rank(3)).node, 1);
  memory->header().growth.nodes = ~0U;
  EXPECT_EQ(roster.nodes(), 6) << "a damaged number is bounded";
}

TEST(Roster, a_rank_moves_to_a_node_that_takes_the_place_of_a_lost_one) {
  // Two ranks on each of nodes 0 and 1, of which this process is on node 0.
  const auto memory = get_or_abort(NodeMemory::create(
      {.ranks = 2, .first = 0, .node = 0, .nodes = 2, .job_ranks = 4, .spare_nodes = 3}));
  const Roster& roster = memory->roster();
  EXPECT_EQ(roster.node_slots(), 5);
  EXPECT_EQ(memory->plan().added_ranks(), 0) << "they need no more memory than the lost ones";
  memory->entry(1).info.ranks = {2, 2};
  memory->entry(2).info.ranks = {2, 2};
  memory->header().growth.nodes = 1;
  EXPECT_EQ(roster.where(Rank(3)).node, 1);
  add_death(memory->header(), 2, {3, 0}, DeathKind::replaced_death);
  EXPECT_EQ(roster.where(Rank(3)).node, 1) << "it does not run yet";
  add_replacement(memory->header(), 2, {3, 1}, 2);
  EXPECT_EQ(roster.where(Rank(3)).node, 2);
  EXPECT_EQ(roster.where(Rank(3)).slot, 1);
  EXPECT_EQ(roster.where(Rank(2)).node, 1);
}

TEST(Roster, each_rank_of_every_node_is_found) {
  const std::vector<NodeRanks> nodes{{0, 1}, {1, 3}, {4, 2}, {6, 1}, {7, 4}};
  const auto memory = get_or_abort(NodeMemory::create({2, 4, 2, 5, 11}));
  const Roster& roster = memory->roster();
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    EXPECT_FALSE(roster.knows_all_nodes());
    memory->entry(node).info.ranks = nodes[node];
    memory->entry(node).state.store(NodeState::known);
  }
  EXPECT_TRUE(roster.knows_all_nodes());
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    EXPECT_EQ(numbers(roster.ranks_of(node)), numbers(nodes[node]));
    for (const Rank rank : nodes[node]) {
      EXPECT_EQ(roster.where(rank).node, node);
      EXPECT_EQ(roster.where(rank).slot, nodes[node].slot_of(rank));
      EXPECT_EQ(roster.is_here(rank), node == roster.node());
    }
  }
}

}  // namespace
}  // namespace gondwana::test
