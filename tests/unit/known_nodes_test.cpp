// How rows of nodes are stored in the memory of the ranks, without a process or a socket.
#include "run/node/known_nodes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {
namespace {

std::string info(std::string_view address) {
  return NodeContact(NodeInfo{}, std::as_bytes(std::span(address)), {}).pack();
}

class KnownNodesTest : public testing::Test {
 protected:
  static constexpr std::uint32_t nodes = 2;

  std::string address(std::uint32_t node) const {
    const Bytes bytes = table.address(node);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  NodeState state(std::uint32_t node) const { return table.entry(node).state; }

  ControlLayout layout{1, nodes, 0, 1};
  std::vector<std::byte> memory = std::vector<std::byte>(layout.relay(0));
  NodeTable table{memory.data(), layout};
  KnownNodes known{nodes, 2};
};

TEST_F(KnownNodesTest, rows_wait_for_memory_and_older_ones_change_nothing) {
  ASSERT_TRUE(known.take({{0, 1, info("a")}, {1, 3, info("second")}}));
  EXPECT_EQ(state(0), NodeState::unknown);
  ASSERT_TRUE(known.open(table));
  EXPECT_EQ(state(0), NodeState::known);
  ASSERT_TRUE(known.take({{1, 2, info("late")}, {0, 4, info("changed")}}));
  EXPECT_EQ(address(0), "changed");
  EXPECT_EQ(address(1), "second");
}

TEST_F(KnownNodesTest, an_address_that_changes_does_not_overwrite_the_former_one) {
  ASSERT_TRUE(known.open(table));
  ASSERT_TRUE(known.take({{0, 1, info("former")}}));
  const Bytes former = table.address(0);
  ASSERT_TRUE(known.take({{0, 2, info("newer")}}));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(former.data()), former.size()),
            "former");
  const std::string longest(NodeInfo::longest_address, 'x');
  std::uint64_t epoch = 3;
  while (known.take({{0, epoch, info(longest)}})) ++epoch;
  EXPECT_EQ(epoch, 6U);  // the table is full
}

TEST_F(KnownNodesTest, a_garbled_row_is_told) {
  ASSERT_TRUE(known.open(table));
  const Result<void> taken = known.take({{1, 1, "?"}});
  ASSERT_FALSE(taken);
  EXPECT_TRUE(taken.error().text.starts_with("the address information of node 1 is garbled"));
}

}  // namespace
}  // namespace gondwana::launch
