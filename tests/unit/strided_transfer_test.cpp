#include "operations/strided/transfer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "operations/strided/optimize.hpp"
#include "support/strided_cases.hpp"

namespace gondwana::strided {
namespace {

constexpr std::ptrdiff_t huge = std::numeric_limits<std::ptrdiff_t>::max();

std::string refusal(const test::Case& c) {
  const Result<Bounds> found = bounds(c.description(), End::target);
  EXPECT_FALSE(found) << c;
  return found ? "" : found.error().text;
}

TEST(strided_transfer, bounds_of_one_element_are_the_element) {
  const test::Case c{8, {}, {}, {}};
  EXPECT_EQ(*bounds(c.description(), End::target), (Bounds{0, 8}));
}

TEST(strided_transfer, bounds_reach_back_where_strides_are_negative) {
  const test::Case c{8, {3, 4}, {-100, 10}, {8, 24}};
  EXPECT_EQ(*bounds(c.description(), End::target), (Bounds{-200, 38}));
  EXPECT_EQ(*bounds(c.description(), End::source), (Bounds{0, 96}));
}

TEST(strided_transfer, empty_transfers_touch_nothing_whatever_their_strides) {
  const test::Case no_elements{8, {5, 0}, {huge, huge}, {0, 0}};
  EXPECT_EQ(*bounds(no_elements.description(), End::target), (Bounds{0, 0}));
  const test::Case no_bytes{0, {5}, {huge}, {0}};
  EXPECT_EQ(*bounds(no_bytes.description(), End::target), (Bounds{0, 0}));
}

TEST(strided_transfer, strides_of_an_extent_of_1_do_not_count) {
  const test::Case c{8, {1}, {std::numeric_limits<std::ptrdiff_t>::min()}, {huge}};
  EXPECT_EQ(*bounds(c.description(), End::target), (Bounds{0, 8}));
}

TEST(strided_transfer, more_than_an_address_space_is_refused) {
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const test::Case& c : {test::Case{8, {3}, {huge}, {0}}, test::Case{8, {most}, {1}, {0}},
                              test::Case{8, {most}, {-1}, {0}}, test::Case{most, {}, {}, {}},
                              test::Case{8, {2, 2}, {huge / 2, huge / 2}, {0, 0}},
                              test::Case{8, {2, 2}, {huge / 2, -huge / 2}, {0, 0}}})
    EXPECT_NE(refusal(c).find("spans more than 2^62 bytes at its target"), std::string::npos) << c;
}

TEST(strided_transfer, a_stride_for_each_extent_is_demanded) {
  EXPECT_EQ(refusal({8, {3, 3}, {8}, {8, 24}}),
            "a strided transfer has 2 extents but 1 strides at its target");
}

TEST(strided_transfer, bounds_and_bytes_survive_optimization) {
  for (std::uint64_t round = 0; round < 500; ++round) {
    test::Random random(round);
    const test::Case c = test::random_case(random);
    const Result<Transfer> transfer = optimize(c.description(), End::target);
    ASSERT_TRUE(transfer) << c;
    std::size_t bytes = c.element;
    for (const std::size_t extent : c.extents) bytes *= extent;
    EXPECT_EQ(transfer->bytes(), bytes) << c;
    for (const End end : {End::target, End::source})
      EXPECT_EQ(transfer->bounds(end), *bounds(c.description(), end)) << c;
  }
}

}  // namespace
}  // namespace gondwana::strided
