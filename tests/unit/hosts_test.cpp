#include "front/gasnet/hosts.hpp"

#include <gtest/gtest.h>

namespace gondwana::gasnet {
namespace {

TEST(hosts, ranks_of_a_machine_are_on_one_host_wherever_their_numbers_lie) {
  const std::vector<std::uint64_t> machines{70, 70, 50, 70, 50};
  const Hosts hosts = Hosts::of(machines, 3);
  EXPECT_EQ(hosts.count, 2U);
  EXPECT_EQ(hosts.of_rank, (std::vector<std::uint32_t>{0, 0, 1, 0, 1}));
  ASSERT_EQ(hosts.mine.size(), 3U);
  EXPECT_EQ(hosts.mine[1].gex_jobrank, 1U);
  EXPECT_EQ(hosts.position, 2U);
  EXPECT_EQ(hosts.mine[hosts.position].gex_jobrank, 3U);
}

TEST(hosts, this_machine_is_always_the_same) {
  EXPECT_EQ(this_machine(), this_machine());
}

}  // namespace
}  // namespace gondwana::gasnet
