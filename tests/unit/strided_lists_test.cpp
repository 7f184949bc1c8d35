#include "operations/strided/lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/strided_cases.hpp"

namespace gondwana::strided {
namespace {

// Memory and a list of blocks in it, which do not overlap and are in random order.
class Blocks {
 public:
  Blocks(test::Random& random, const std::vector<std::size_t>& lengths) {
    std::vector<std::size_t> order(lengths.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);
    std::vector<std::size_t> offsets(lengths.size());
    std::size_t end = random.below(16);
    for (const std::size_t i : order) {
      offsets[i] = end;
      end += lengths[i] + 8 * random.below(3);
      if (random.once_in(10)) end += random.below(8);
    }
    memory.resize(end + 16);
    random.fill(memory);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      blocks.push_back({memory.data() + offsets[i], lengths[i]});
      addresses.push_back(memory.data() + offsets[i]);
    }
  }

  Vectors vectors() const { return {blocks}; }
  Indexed indexed() const { return {addresses, blocks.empty() ? 0 : blocks[0].length}; }

  std::vector<std::byte> content() const {
    std::vector<std::byte> all;
    for (const Block& block : blocks) {
      const auto* begin = static_cast<const std::byte*>(block.address);
      all.insert(all.end(), begin, begin + block.length);
    }
    return all;
  }

  // The memory after its list was overwritten and nothing else.
  std::vector<std::byte> memory_with(const std::vector<std::byte>& content_now) const {
    std::vector<std::byte> result = memory;
    std::size_t position = 0;
    for (const Block& block : blocks) {
      const auto offset = static_cast<const std::byte*>(block.address) - memory.data();
      std::copy_n(content_now.begin() + static_cast<std::ptrdiff_t>(position), block.length,
                  result.begin() + offset);
      position += block.length;
    }
    return result;
  }

  std::vector<std::byte> memory;
  std::vector<Block> blocks;
  std::vector<void*> addresses;
};

// Splits `bytes` into blocks of any length, some of them empty.
std::vector<std::size_t> any_lengths(test::Random& random, std::size_t bytes) {
  std::vector<std::size_t> lengths;
  const std::size_t longest_block = 1 + random.below(200);
  while (bytes > 0) {
    lengths.push_back(std::min(bytes, random.below(longest_block + 1)));
    bytes -= lengths.back();
  }
  if (random.once_in(3)) lengths.push_back(0);
  return lengths;
}

std::size_t any_length(test::Random& random) {
  static constexpr std::size_t lengths[] = {1, 2, 3, 4, 8, 16, 24, 32, 64, 100};
  return lengths[random.below(std::size(lengths))];
}

TEST(strided_lists, vectors_cut_differently_are_copied_in_order) {
  for (std::uint64_t round = 0; round < 500; ++round) {
    test::Random random(round);
    const std::size_t bytes = random.below(3000);
    const Blocks source(random, any_lengths(random, bytes));
    Blocks target(random, any_lengths(random, bytes));
    const auto expected = target.memory_with(source.content());
    copy(target.vectors(), source.vectors());
    ASSERT_EQ(target.memory, expected) << "seed " << test::seed() << ", round " << round;
  }
}

TEST(strided_lists, indexed_blocks_are_copied_one_by_one_from_one_and_into_one) {
  for (std::uint64_t round = 0; round < 1000; ++round) {
    test::Random random(round);
    const std::size_t count = 1 + random.below(40);
    const std::size_t length = any_length(random);
    const std::size_t form = random.below(4);
    std::vector<std::size_t> from(count, length);
    std::vector<std::size_t> to = from;
    if (form == 1) from = {count * length};
    if (form == 2) to = {count * length};
    if (form == 3) to.assign(length, count);  // cut differently
    const Blocks source(random, from);
    Blocks target(random, to);
    const auto expected = target.memory_with(source.content());
    copy(target.indexed(), source.indexed());
    ASSERT_EQ(target.memory, expected) << "seed " << test::seed() << ", round " << round;
  }
}

TEST(strided_lists, addresses_are_shifted_into_the_window) {
  test::Random random(0);
  const Blocks source(random, {8, 8, 8});
  Blocks target(random, {8, 8, 8});
  const auto expected = target.memory_with(source.content());
  std::vector<void*> peers = target.addresses;
  for (void*& address : peers) address = static_cast<std::byte*>(address) - 4096;
  copy(Indexed{peers, 8, 4096}, source.indexed());
  EXPECT_EQ(target.memory, expected);
}

TEST(strided_lists, a_list_touches_from_its_lowest_to_its_highest_byte) {
  test::Random random(0);
  const Blocks list(random, {10, 20, 0, 30});
  const Result<Touched> found = touched(list.vectors());
  ASSERT_TRUE(found);
  std::uintptr_t begin = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end = 0;
  for (const Block& block : list.blocks) {
    if (block.length == 0) continue;
    begin = std::min(begin, reinterpret_cast<std::uintptr_t>(block.address));
    end = std::max(end, reinterpret_cast<std::uintptr_t>(block.address) + block.length);
  }
  EXPECT_EQ(found->begin, begin);
  EXPECT_EQ(found->end, end);
  EXPECT_EQ(found->bytes, 60U);
}

TEST(strided_lists, an_empty_list_touches_and_copies_nothing) {
  EXPECT_EQ(touched(Vectors{})->bytes, 0U);
  EXPECT_EQ(touched(Indexed{{}, 8})->bytes, 0U);
  copy(Vectors{}, Vectors{});
  copy(Indexed{{}, 8}, Indexed{{}, 8});
}

TEST(strided_lists, blocks_beyond_the_address_space_are_refused) {
  void* const high = reinterpret_cast<void*>(std::numeric_limits<std::uintptr_t>::max() - 4);
  EXPECT_FALSE(touched(Indexed{{&high, 1}, 8}));
  const Block endless{nullptr, std::numeric_limits<std::size_t>::max()};
  const Result<Touched> found = touched(Vectors{{&endless, 1}});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text.find("block 0 of a list of 1"), std::string::npos);
}

}  // namespace
}  // namespace gondwana::strided
