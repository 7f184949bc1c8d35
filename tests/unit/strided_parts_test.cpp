#include "operations/strided/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "operations/strided/optimize.hpp"
#include "support/strided_cases.hpp"

namespace gondwana::strided {
namespace {

Transfer optimized(const test::Case& c) {
  return *optimize(c.description(), End::target);
}

struct Part {
  std::size_t position;
  std::vector<std::byte> bytes;
};

// Packs a whole transfer into parts of random limits.
std::vector<Part> pack_all(const Transfer& transfer, const std::byte* source,
                           test::Random& random) {
  const Transfer packing = with_packed(transfer, End::target);
  const std::size_t scale = 1 + random.below(600);
  std::vector<Part> parts;
  for (std::size_t position = 0; position < packing.bytes();) {
    const std::size_t size = part_size(packing, position, 1 + random.below(scale));
    EXPECT_GT(size, 0U);
    parts.push_back({position, std::vector<std::byte>(size)});
    pack(packing, source, position, parts.back().bytes);
    position += size;
  }
  return parts;
}

TEST(strided_parts, parts_unpacked_in_any_order_make_the_transfer) {
  for (std::uint64_t round = 0; round < 1000; ++round) {
    test::Random random(round);
    const test::Case c = test::random_case(random);
    test::Ends ends(c, random);
    const Transfer transfer = optimized(c);
    std::vector<Part> parts = pack_all(transfer, ends.source.base(), random);
    random.shuffle(parts);
    const Transfer unpacking = with_packed(transfer, End::source);
    for (const Part& part : parts) unpack(unpacking, ends.target.base(), part.position, part.bytes);
    ASSERT_TRUE(ends.target == ends.expected) << c;
  }
}

// The data for a peer that unpacks: the dimensions at its end, and the first offset.
test::Case told_to_peer(const Transfer& transfer) {
  test::Case told{transfer.piece(), {}, {}, {}};
  std::ptrdiff_t packed = 1;
  for (const Dimension& dimension : transfer.dimensions()) {
    if (packed != 1) {
      told.extents.push_back(dimension.extent);
      told.target_strides.push_back(dimension.target);
      told.source_strides.push_back(packed);
    }
    packed *= static_cast<std::ptrdiff_t>(dimension.extent);
  }
  return told;
}

TEST(strided_parts, a_peer_that_knows_its_own_end_unpacks_the_same) {
  for (std::uint64_t round = 0; round < 500; ++round) {
    test::Random random(round);
    test::Case c = test::random_case(random);
    c.element = std::max<std::size_t>(c.element, 2);  // so that told_to_peer can tell the run
    c.target_strides = test::nested_strides(random, c.element, c.extents, false);
    c.source_strides = test::nested_strides(random, c.element, c.extents, false);
    const Transfer transfer = optimized(c);
    if (transfer.is_empty()) continue;
    const test::Case told = told_to_peer(transfer);
    const Result<Transfer> rebuilt = optimize(told.description(), End::source);
    ASSERT_TRUE(rebuilt) << rebuilt.error().text;
    const Transfer unpacking = with_packed(transfer, End::source);
    EXPECT_TRUE(std::ranges::equal(rebuilt->dimensions(), unpacking.dimensions())) << c;
  }
}

TEST(strided_parts, short_pieces_are_not_cut) {
  const Transfer packing = optimized({24, {100}, {24}, {48}});
  EXPECT_EQ(part_size(packing, 0, 1000), 984U);
  EXPECT_EQ(part_size(packing, 984, 1000), 984U);
  EXPECT_EQ(part_size(packing, 1968, 1000), 432U);
}

TEST(strided_parts, a_piece_longer_than_the_part_is_cut) {
  const Transfer packing = optimized({24, {100}, {24}, {48}});
  EXPECT_EQ(part_size(packing, 0, 10), 10U);
  EXPECT_EQ(part_size(packing, 10, 10), 10U);
  EXPECT_EQ(part_size(packing, 20, 10), 4U);
}

TEST(strided_parts, long_pieces_are_cut_at_cache_lines) {
  const Transfer packing = optimized({1000, {10}, {1000}, {2000}});
  EXPECT_EQ(part_size(packing, 0, 500), 448U);
  EXPECT_EQ(part_size(packing, 448, 600), 552U);
  EXPECT_EQ(part_size(packing, 9900, 4096), 100U);
}

TEST(strided_parts, an_empty_transfer_has_no_pieces) {
  EXPECT_EQ(part_size(Transfer(), 0, 100), 0U);
  pack(Transfer(), nullptr, 0, {});
  unpack(Transfer(), nullptr, 0, {});
}

}  // namespace
}  // namespace gondwana::strided
