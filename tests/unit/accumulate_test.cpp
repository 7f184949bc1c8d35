// Scaled addition, and the stripes under whose locks it happens.
#include "operations/accumulate.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <numeric>
#include <vector>

#include "memory/accumulate_locks.hpp"

namespace gondwana {
namespace {

// Checks both operations on arrays at every alignment.
template <typename T>
void adds_and_scales(AccumulateType type, T scale) {
  ASSERT_EQ(sizeof(T), width(type));
  const Accumulation what(type, &scale);
  for (std::size_t shift = 0; shift < 8; ++shift) {
    constexpr std::size_t count = 37;
    std::vector<T> values(count);
    std::vector<T> sums(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = static_cast<T>(static_cast<float>(i) - 9.0F);
      sums[i] = static_cast<T>(3.0F * static_cast<float>(i));
    }
    std::vector<std::byte> source(8 + count * sizeof(T));
    std::vector<std::byte> target(8 + count * sizeof(T), std::byte{0x5a});
    std::memcpy(source.data() + shift, values.data(), count * sizeof(T));
    std::memcpy(target.data() + shift, sums.data(), count * sizeof(T));
    what.add(target.data() + shift, source.data() + shift, count * sizeof(T));
    what.scale(source.data() + shift, source.data() + shift, count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i) {
      T sum;
      T term;
      std::memcpy(&sum, target.data() + shift + i * sizeof(T), sizeof(T));
      std::memcpy(&term, source.data() + shift + i * sizeof(T), sizeof(T));
      ASSERT_EQ(sum, sums[i] + scale * values[i]) << i;
      ASSERT_EQ(term, scale * values[i]) << i;
    }
    for (std::size_t i = 0; i < shift; ++i) ASSERT_EQ(target[i], std::byte{0x5a});
    for (std::size_t i = shift + count * sizeof(T); i < target.size(); ++i)
      ASSERT_EQ(target[i], std::byte{0x5a});
  }
}

TEST(accumulate, all_types_are_added_and_scaled) {
  adds_and_scales<std::int32_t>(AccumulateType::int32, -3);
  adds_and_scales<std::int64_t>(AccumulateType::int64, std::int64_t{1} << 40);
  adds_and_scales<float>(AccumulateType::float32, 0.5F);
  adds_and_scales<double>(AccumulateType::float64, -2.25);
  adds_and_scales<std::complex<float>>(AccumulateType::complex64, {0.5F, -2.0F});
  adds_and_scales<std::complex<double>>(AccumulateType::complex128, {-1.5, 4.0});
}

TEST(accumulate, a_scale_of_one_adds_the_elements_as_they_are) {
  adds_and_scales<std::int32_t>(AccumulateType::int32, 1);
  adds_and_scales<double>(AccumulateType::float64, 1);
  const Accumulation sum = Accumulation::unscaled(AccumulateType::complex128);
  std::complex<double> total{1, 2};
  const std::complex<double> more{3, -5};
  sum.add(reinterpret_cast<std::byte*>(&total), reinterpret_cast<const std::byte*>(&more), 16);
  EXPECT_EQ(total, std::complex<double>(4, -3));
}

TEST(accumulate, integers_wrap_around) {
  std::int32_t total = std::numeric_limits<std::int32_t>::max();
  const std::int32_t two = 2;
  Accumulation::unscaled(AccumulateType::int32)
      .add(reinterpret_cast<std::byte*>(&total), reinterpret_cast<const std::byte*>(&two), 4);
  EXPECT_EQ(total, std::numeric_limits<std::int32_t>::min() + 1);
}

TEST(accumulate, a_part_ends_with_the_stripe_or_is_one_element_that_crosses_its_edge) {
  constexpr std::uint64_t end = AccumulateLocks::stripe;
  EXPECT_EQ(HeldStripes::next_part(0, 100, 4), 100U);
  EXPECT_EQ(HeldStripes::next_part(end - 16, 100, 4), 16U);
  EXPECT_EQ(HeldStripes::next_part(end - 16, 96, 16), 16U);
  EXPECT_EQ(HeldStripes::next_part(end - 24, 160, 16), 16U) << "before the one that crosses";
  EXPECT_EQ(HeldStripes::next_part(end - 8, 160, 16), 16U) << "the one that crosses";
  EXPECT_EQ(HeldStripes::next_part(end - 1, 8, 4), 4U);
  EXPECT_EQ(HeldStripes::next_part(3 * end, 5 * end, 8), end);
}

TEST(accumulate, a_stripe_has_one_holder) {
  const auto locks = std::make_unique<AccumulateLocks>();
  constexpr std::uint64_t end = AccumulateLocks::stripe;
  HeldStripes one(*locks);
  HeldStripes other(*locks);
  EXPECT_TRUE(one.try_move_to(100, 8));
  EXPECT_TRUE(one.try_move_to(200, 8)) << "the same stripe";
  EXPECT_FALSE(other.try_move_to(300, 8));
  EXPECT_TRUE(other.try_move_to(end, 8));
  EXPECT_FALSE(one.try_move_to(end + 8, 8));
  EXPECT_TRUE(other.try_move_to(300, 8)) << "one gave it up when it moved";
  EXPECT_TRUE(one.try_move_to(end + 8, 8)) << "the other gave it up";
  one.release();
  EXPECT_TRUE(other.try_move_to(end + 8, 8));
}

TEST(accumulate, an_element_that_crosses_an_edge_has_the_locks_of_both_stripes) {
  const auto locks = std::make_unique<AccumulateLocks>();
  for (std::uint64_t edge = 1; edge <= AccumulateLocks::count; ++edge) {
    const std::uint64_t end = edge * AccumulateLocks::stripe;
    HeldStripes across(*locks);
    HeldStripes one(*locks);
    ASSERT_TRUE(across.try_move_to(end - 8, 16));
    EXPECT_FALSE(one.try_move_to(end - 8, 8));
    EXPECT_FALSE(one.try_move_to(end, 8));
    across.release();
    EXPECT_TRUE(one.try_move_to(end, 8));
    EXPECT_FALSE(across.try_move_to(end - 8, 16));
    EXPECT_TRUE(HeldStripes(*locks).try_move_to(end - 8, 8)) << "the failure left none taken";
    one.release();
    EXPECT_TRUE(across.try_move_to(end - 8, 16));
  }
}

TEST(accumulate, the_locks_of_a_dead_rank_are_broken_and_no_others) {
  const auto locks = std::make_unique<AccumulateLocks>();
  constexpr std::uint64_t end = AccumulateLocks::stripe;
  HeldStripes dead(*locks, holder_of(Rank(3)));
  HeldStripes living(*locks, holder_of(Rank(4)));
  HeldStripes other(*locks);
  ASSERT_TRUE(dead.try_move_to(end - 8, 16));
  ASSERT_TRUE(living.try_move_to(2 * end, 8));
  locks->break_of(Rank(3));
  EXPECT_TRUE(other.try_move_to(end - 8, 16));
  EXPECT_FALSE(other.try_move_to(2 * end, 8));
}

}  // namespace
}  // namespace gondwana
