#include "network/ucx/pending_operations.hpp"

#include <gtest/gtest.h>

namespace gondwana::ucx {
namespace {

TEST(pending_operations, operations_count_until_they_are_reported) {
  PendingOperations pending;
  network::Operation first;
  network::Operation second;
  pending.begin();
  pending.begin();
  EXPECT_FALSE(pending.has_ended());
  pending.finish(second, UCS_ERR_CANCELED);
  pending.finish(first, UCS_OK);
  EXPECT_EQ(pending.count(), 2);
  std::vector<std::pair<network::Operation*, ucs_status_t>> told;
  EXPECT_EQ(pending.report([&](network::Operation& operation, ucs_status_t status) {
    told.emplace_back(&operation, status);
  }),
            2);
  ASSERT_EQ(told.size(), 2);
  EXPECT_EQ(told[0], std::pair(&second, UCS_ERR_CANCELED));
  EXPECT_EQ(told[1], std::pair(&first, UCS_OK));
  EXPECT_EQ(pending.count(), 0);
}

TEST(pending_operations, one_that_ends_while_others_are_reported_waits_for_the_next_time) {
  PendingOperations pending;
  network::Operation first;
  network::Operation second;
  pending.begin();
  pending.finish(first, UCS_OK);
  const auto post_another = [&](network::Operation& /*operation*/, ucs_status_t /*status*/) {
    pending.begin();
    pending.finish(second, UCS_OK);
  };
  EXPECT_EQ(pending.report(post_another), 1);
  EXPECT_TRUE(pending.has_ended());
  EXPECT_EQ(pending.count(), 1);
}

}  // namespace
}  // namespace gondwana::ucx
