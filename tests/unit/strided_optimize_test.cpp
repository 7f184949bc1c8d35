#include "operations/strided/optimize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/strided_cases.hpp"

namespace gondwana::strided {
namespace {

using Dimensions = std::vector<Dimension>;

Transfer optimized(const test::Case& c, End ordered = End::target) {
  const Result<Transfer> transfer = optimize(c.description(), ordered);
  EXPECT_TRUE(transfer) << (transfer ? "" : transfer.error().text);
  return transfer ? *transfer : Transfer();
}

Dimensions dimensions(const Transfer& transfer) {
  return {transfer.dimensions().begin(), transfer.dimensions().end()};
}

TEST(strided_optimize, extents_of_1_are_dropped) {
  EXPECT_EQ(dimensions(optimized({8, {1, 5, 1}, {999, 16, -7}, {0, 32, 1}})),
            (Dimensions{{8, 1, 1}, {5, 16, 32}}));
}

TEST(strided_optimize, an_extent_of_0_makes_it_empty) {
  EXPECT_TRUE(optimized({8, {4, 0}, {16, 64}, {16, 64}}).is_empty());
  EXPECT_TRUE(optimized({0, {4}, {16}, {16}}).is_empty());
}

TEST(strided_optimize, dimensions_contiguous_at_both_ends_become_the_run) {
  EXPECT_EQ(dimensions(optimized({4, {5, 6, 7}, {4, 20, 120}, {4, 20, 128}})),
            (Dimensions{{120, 1, 1}, {7, 120, 128}}));
}

TEST(strided_optimize, what_is_contiguous_at_one_end_only_is_kept) {
  EXPECT_EQ(dimensions(optimized({4, {5}, {4}, {8}})), (Dimensions{{4, 1, 1}, {5, 4, 8}}));
}

TEST(strided_optimize, thirty_two_dimensions_that_continue_each_other_are_one) {
  test::Case c{8, {}, {}, {}};
  std::ptrdiff_t stride = 32;
  for (int i = 0; i < 32; ++i, stride *= i % 2 == 0 ? 1 : 2) {
    c.extents.push_back(i % 2 == 0 ? 2 : 1);
    c.target_strides.push_back(stride);
    c.source_strides.push_back(2 * stride);
  }
  EXPECT_EQ(dimensions(optimized(c)), (Dimensions{{8, 1, 1}, {1 << 16, 32, 64}}));
}

TEST(strided_optimize, what_runs_backwards_at_both_ends_is_turned_round) {
  const Transfer transfer = optimized({8, {4}, {-8}, {-8}});
  EXPECT_EQ(dimensions(transfer), (Dimensions{{32, 1, 1}}));
  EXPECT_EQ(transfer.offset(End::target), -24);
  EXPECT_EQ(transfer.offset(End::source), -24);
}

TEST(strided_optimize, a_reflection_runs_backwards_at_the_other_end) {
  const Transfer transfer = optimized({8, {4}, {-8}, {8}});
  EXPECT_EQ(dimensions(transfer), (Dimensions{{8, 1, 1}, {4, 8, -8}}));
  EXPECT_EQ(transfer.offset(End::target), -24);
  EXPECT_EQ(transfer.offset(End::source), 24);
}

TEST(strided_optimize, the_ordered_end_is_sorted) {
  const test::Case transposition{4, {10, 20}, {80, 4}, {4, 40}};
  EXPECT_EQ(dimensions(optimized(transposition, End::target)),
            (Dimensions{{4, 1, 1}, {20, 4, 40}, {10, 80, 4}}));
  EXPECT_EQ(dimensions(optimized(transposition, End::source)),
            (Dimensions{{4, 1, 1}, {10, 80, 4}, {20, 4, 40}}));
}

TEST(strided_optimize, rows_that_are_repeated_still_become_runs) {
  EXPECT_EQ(dimensions(optimized({8, {3, 16}, {128, 8}, {0, 8}}, End::source)),
            (Dimensions{{128, 1, 1}, {3, 128, 0}}));
}

TEST(strided_optimize, dimensions_that_say_nothing_may_be_many) {
  const std::vector<std::size_t> ones(1000, 1);
  const std::vector<std::ptrdiff_t> strides(1000, 77);
  EXPECT_EQ(dimensions(*optimize({8, ones, strides, strides}, End::target)),
            (Dimensions{{8, 1, 1}}));
}

test::Case halves(std::size_t count) {
  test::Case c{1, std::vector<std::size_t>(count, 2), {}, {}};
  for (std::size_t i = 0; i < count; ++i) c.target_strides.push_back(std::ptrdiff_t{1} << i);
  c.source_strides.assign(c.target_strides.rbegin(), c.target_strides.rend());
  return c;
}

TEST(strided_optimize, thirty_two_dimensions_that_do_not_fold_are_kept) {
  EXPECT_EQ(optimized(halves(32)).dimensions().size(), 33U);
}

TEST(strided_optimize, more_dimensions_are_refused_in_words) {
  const Result<Transfer> transfer = optimize(halves(33).description(), End::target);
  ASSERT_FALSE(transfer);
  EXPECT_EQ(transfer.error().text,
            "a strided transfer has more than 32 dimensions of an extent above 1; split it");
}

TEST(strided_optimize, more_bytes_than_can_be_counted_are_refused) {
  const std::size_t many = std::size_t{1} << 40;
  const test::Case c{8, {many, many}, {0, 0}, {0, 0}};
  const Result<Transfer> transfer = optimize(c.description(), End::target);
  ASSERT_FALSE(transfer);
  EXPECT_NE(transfer.error().text.find("more than 2^62 bytes"), std::string::npos);
}

TEST(strided_optimize, the_canonical_form_is_sorted_positive_and_folded) {
  for (std::uint64_t round = 0; round < 500; ++round) {
    test::Random random(round);
    const test::Case c = test::random_case(random);
    const Transfer transfer = optimized(c);
    const auto list = transfer.dimensions();
    for (std::size_t i = 1; i < list.size(); ++i) {
      EXPECT_GE(list[i].extent, 2U) << c;
      const Dimension& inside = list[i - 1];
      const auto extent = static_cast<std::ptrdiff_t>(inside.extent);
      EXPECT_GE(list[i].target, inside.target * extent) << c;
      EXPECT_FALSE(list[i].target == inside.target * extent &&
                   list[i].source == inside.source * extent)
          << c;
    }
  }
}

// An equivalent transfer: dimensions split, reversed and shuffled. Reversing a dimension moves both
// base addresses.
struct Retold {
  test::Case told;
  std::ptrdiff_t target_moved = 0;
  std::ptrdiff_t source_moved = 0;
};

Retold retell(test::Random& random, const test::Case& c) {
  Retold retold{{c.element, {}, {}, {}}};
  std::vector<Dimension> list;
  for (std::size_t i = 0; i < c.extents.size(); ++i) {
    const Dimension whole{c.extents[i], c.target_strides[i], c.source_strides[i]};
    std::size_t part = 1 + random.below(whole.extent + 1);
    if (whole.extent % part != 0) part = 1;
    const auto step = static_cast<std::ptrdiff_t>(part);
    list.push_back({part, whole.target, whole.source});
    list.push_back({whole.extent / part, whole.target * step, whole.source * step});
  }
  for (Dimension& dimension : list) {
    if (dimension.extent == 0 || random.once_in(2)) continue;
    const auto last = static_cast<std::ptrdiff_t>(dimension.extent - 1);
    retold.target_moved += last * dimension.target;
    retold.source_moved += last * dimension.source;
    dimension.target = -dimension.target;
    dimension.source = -dimension.source;
  }
  random.shuffle(list);
  for (const Dimension& dimension : list) {
    retold.told.extents.push_back(dimension.extent);
    retold.told.target_strides.push_back(dimension.target);
    retold.told.source_strides.push_back(dimension.source);
  }
  return retold;
}

TEST(strided_optimize, all_descriptions_of_a_transfer_have_one_canonical_form) {
  for (std::uint64_t round = 0; round < 1000; ++round) {
    test::Random random(round);
    const test::Case c = test::random_case(random);
    const Retold retold = retell(random, c);
    const Transfer expected = optimized(c);
    const Transfer found = optimized(retold.told);
    ASSERT_EQ(dimensions(found), dimensions(expected)) << c << "\ntold as: " << retold.told;
    if (expected.is_empty()) continue;
    ASSERT_EQ(found.offset(End::target) + retold.target_moved, expected.offset(End::target)) << c;
    ASSERT_EQ(found.offset(End::source) + retold.source_moved, expected.offset(End::source)) << c;
  }
}

}  // namespace
}  // namespace gondwana::strided
