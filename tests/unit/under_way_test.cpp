#include "network/ucx/under_way.hpp"

#include <gtest/gtest.h>

namespace gondwana::ucx {
namespace {

TEST(under_way, operations_count_until_they_are_told) {
  UnderWay under_way;
  network::Operation first;
  network::Operation second;
  under_way.begin();
  under_way.begin();
  EXPECT_FALSE(under_way.has_ended());
  under_way.finish(second, UCS_ERR_CANCELED);
  under_way.finish(first, UCS_OK);
  EXPECT_EQ(under_way.count(), 2);
  std::vector<std::pair<network::Operation*, ucs_status_t>> told;
  EXPECT_EQ(under_way.tell([&](network::Operation& operation, ucs_status_t status) {
    told.emplace_back(&operation, status);
  }),
            2);
  ASSERT_EQ(told.size(), 2);
  EXPECT_EQ(told[0], std::pair(&second, UCS_ERR_CANCELED));
  EXPECT_EQ(told[1], std::pair(&first, UCS_OK));
  EXPECT_EQ(under_way.count(), 0);
}

TEST(under_way, one_that_ends_while_others_are_told_waits_for_the_next_time) {
  UnderWay under_way;
  network::Operation first;
  network::Operation second;
  under_way.begin();
  under_way.finish(first, UCS_OK);
  const auto post_another = [&](network::Operation& /*operation*/, ucs_status_t /*status*/) {
    under_way.begin();
    under_way.finish(second, UCS_OK);
  };
  EXPECT_EQ(under_way.tell(post_another), 1);
  EXPECT_TRUE(under_way.has_ended());
  EXPECT_EQ(under_way.count(), 1);
}

}  // namespace
}  // namespace gondwana::ucx
