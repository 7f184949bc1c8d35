#include "bootstrap/node_map.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace gondwana {
namespace {

// One rank per letter, on the host of that name.
std::vector<ProcessInfo> infos_on(std::string_view hosts, std::uint32_t node_ranks = 0) {
  std::vector<ProcessInfo> infos;
  for (const char letter : hosts) {
    const std::string host(1, letter);
    infos.push_back({{"boot-" + host, "4026531840", "1000"}, host, node_ranks, {}});
  }
  return infos;
}

using Parts = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// First rank and number of ranks of each node.
Parts parts_of(const std::vector<ProcessInfo>& infos) {
  const Result<std::vector<NodeShare>> nodes = find_nodes(infos, "use another way");
  EXPECT_TRUE(nodes) << (nodes ? "" : nodes.error().text);
  Parts parts;
  if (!nodes) return parts;
  for (const NodeShare& node : *nodes) {
    EXPECT_EQ(node.node, parts.size());
    EXPECT_EQ(node.nodes, nodes->size());
    EXPECT_EQ(node.job_ranks, infos.size());
    parts.emplace_back(node.first, node.ranks);
  }
  return parts;
}

TEST(node_map, ranks_of_one_host_are_one_node) {
  EXPECT_EQ(parts_of(infos_on("a")), (Parts{{0, 1}}));
  EXPECT_EQ(parts_of(infos_on("aaaa")), (Parts{{0, 4}}));
}

TEST(node_map, each_host_is_a_node_in_the_order_of_its_ranks) {
  EXPECT_EQ(parts_of(infos_on("aabbb")), (Parts{{0, 2}, {2, 3}}));
  EXPECT_EQ(parts_of(infos_on("cab")), (Parts{{0, 1}, {1, 1}, {2, 1}}));
}

TEST(node_map, other_users_and_other_networks_are_other_nodes) {
  std::vector<ProcessInfo> infos = infos_on("aaaa");
  infos[2].node.user = infos[3].node.user = "1001";
  EXPECT_EQ(parts_of(infos), (Parts{{0, 2}, {2, 2}}));
  infos[1].node.network = "4026531841";
  EXPECT_EQ(parts_of(infos), (Parts{{0, 1}, {1, 1}, {2, 2}}));
}

TEST(node_map, the_host_name_decides_nothing) {
  std::vector<ProcessInfo> infos = infos_on("aaaa");
  infos[1].host = "b";
  EXPECT_EQ(parts_of(infos), (Parts{{0, 4}}));
}

TEST(node_map, a_machine_may_play_several_nodes) {
  EXPECT_EQ(parts_of(infos_on("aaaa", 2)), (Parts{{0, 2}, {2, 2}}));
  EXPECT_EQ(parts_of(infos_on("aaaaa", 2)), (Parts{{0, 2}, {2, 2}, {4, 1}}));
  EXPECT_EQ(parts_of(infos_on("aaa", 1)), (Parts{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(parts_of(infos_on("aaa", 3)), (Parts{{0, 3}}));
  EXPECT_EQ(parts_of(infos_on("aaabbb", 2)), (Parts{{0, 2}, {2, 1}, {3, 2}, {5, 1}}));
}

TEST(node_map, rank_0_says_how_many_share_memory) {
  std::vector<ProcessInfo> infos = infos_on("aaaa");
  infos[0].node_ranks = 2;
  EXPECT_EQ(parts_of(infos), (Parts{{0, 2}, {2, 2}}));
}

TEST(node_map, ranks_of_a_host_must_follow_each_other) {
  for (const std::string_view hosts : {"abab", "aaba", "cabca"}) {
    const Result<std::vector<NodeShare>> nodes =
        find_nodes(infos_on(hosts), "use `mpirun --map-by slot`");
    EXPECT_FALSE(nodes) << hosts;
  }
  const Result<std::vector<NodeShare>> nodes =
      find_nodes(infos_on("aabba"), "use `mpirun --map-by slot`");
  ASSERT_FALSE(nodes);
  EXPECT_EQ(nodes.error().text,
            "ranks 0 and 4 are on host a, but rank 2 between them is on host b; ranks on one host "
            "must have consecutive numbers: use `mpirun --map-by slot`");
}

TEST(node_map, every_rank_finds_the_first_of_its_node) {
  for (const std::string_view hosts : {"a", "aaaa", "aabbb", "abc", "abbbbbbbbc", "aaaaaaaab"}) {
    for (const std::uint32_t most : {0, 1, 2, 3, 20}) {
      const std::vector<ProcessInfo> infos = infos_on(hosts, most);
      for (const auto& [first, members] : parts_of(infos)) {
        for (std::uint32_t rank = first; rank < first + members; ++rank) {
          const auto is_near = [&](std::uint32_t other) -> Result<bool> {
            return infos[other].node == infos[rank].node;
          };
          const Result<std::uint32_t> found = find_first_of_node(rank, most, is_near);
          ASSERT_TRUE(found);
          EXPECT_EQ(*found, first) << hosts << " by " << most << ", rank " << rank;
        }
      }
    }
  }
}

TEST(node_map, on_one_host_rank_0_is_all_that_is_asked) {
  std::vector<std::uint32_t> asked;
  const Result<std::uint32_t> found = find_first_of_node(1000, 0, [&](std::uint32_t other) {
    asked.push_back(other);
    return Result<bool>(true);
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, 0U);
  EXPECT_EQ(asked, std::vector<std::uint32_t>{0});
}

TEST(node_map, an_answer_that_does_not_come_is_passed_on) {
  const Result<std::uint32_t> found = find_first_of_node(
      3, 0, [](std::uint32_t) -> Result<bool> { return Error{Errc::peer_lost, "no answer"}; });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().text, "no answer");
}

}  // namespace
}  // namespace gondwana
