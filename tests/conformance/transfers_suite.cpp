// Puts to the memory of a peer and gets from it.
#include <algorithm>

#include "conformance/endpoint_suite.hpp"

namespace gondwana::test {
namespace {

using network::Operation;
using network::Region;

constexpr std::size_t memory_size = std::size_t{4} << 20;

TEST_P(EndpointSuite, a_write_that_is_done_is_at_the_target) {
  std::vector<std::byte> memory(memory_size);
  const Region region = share(memory);
  for (std::size_t size = 1; size <= std::size_t{1} << 20; size = 3 * size + 1) {
    const std::size_t offset = 4096 + size % 64;
    std::ranges::fill(memory, std::byte{0x5a});
    const std::vector<std::byte> source = pattern(size, 4);
    ASSERT_TRUE(write(region, offset, source)) << size;
    EXPECT_TRUE(std::equal(source.begin(), source.end(), memory.data() + offset)) << size;
    EXPECT_EQ(memory[offset - 1], std::byte{0x5a}) << size;
    EXPECT_EQ(memory[offset + size], std::byte{0x5a}) << size;
  }
}

TEST_P(EndpointSuite, a_read_brings_what_is_there) {
  std::vector<std::byte> memory = pattern(memory_size, 5);
  const Region region = share(memory);
  for (std::size_t size = 1; size <= std::size_t{1} << 20; size = 3 * size + 1) {
    const std::size_t offset = 4096 + size % 64;
    std::vector<std::byte> target(size + 1, std::byte{0x5a});
    ASSERT_TRUE(read(region, offset, MutableBytes(target).first(size))) << size;
    EXPECT_TRUE(std::equal(target.begin(), target.end() - 1, memory.data() + offset)) << size;
    EXPECT_EQ(target.back(), std::byte{0x5a}) << size;
  }
}

TEST_P(EndpointSuite, operations_under_way_together_are_done_once_each) {
  constexpr std::size_t count = 500;
  constexpr std::size_t size = 1000;
  std::vector<std::byte> memory(2 * count * size);
  std::ranges::copy(pattern(count * size, 6), memory.begin());
  const Region region = share(memory);
  const std::vector<std::byte> source = pattern(count * size, 7);
  std::vector<std::byte> target(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_NE(post(near(),
                   [&](Operation& operation) {
                     return near().endpoint().write(region, (count + i) * size,
                                                    Bytes(source).subspan(i * size, size),
                                                    operation);
                   }),
              nullptr);
    ASSERT_NE(post(near(),
                   [&](Operation& operation) {
                     return near().endpoint().read(
                         region, i * size, MutableBytes(target).subspan(i * size, size), operation);
                   }),
              nullptr);
  }
  ASSERT_TRUE(poll_until([&] { return near().done.size() == 2 * count; }));
  for (const auto& [operation, times] : near().done) EXPECT_EQ(times, 1);
  EXPECT_TRUE(near().failed.empty());
  EXPECT_TRUE(std::equal(target.begin(), target.end(), memory.begin()));
  EXPECT_TRUE(std::equal(source.begin(), source.end(), memory.begin() + count * size));
}

TEST_P(EndpointSuite, each_key_is_that_of_its_own_memory) {
  std::vector<std::byte> first(4096);
  std::vector<std::byte> second(4096);
  const Region to_first = share(first);
  const Region to_second = share(second);
  ASSERT_TRUE(write(to_second, 8, pattern(8, 9)));
  ASSERT_TRUE(write(to_first, 8, pattern(8, 8)));
  EXPECT_TRUE(std::ranges::equal(pattern(8, 8), Bytes(first).subspan(8, 8)));
  EXPECT_TRUE(std::ranges::equal(pattern(8, 9), Bytes(second).subspan(8, 8)));
}

TEST_P(EndpointSuite, keys_are_no_longer_than_they_may_be) {
  std::vector<std::byte> memory(4096);
  const auto registration = far().endpoint().register_memory(memory);
  ASSERT_TRUE(registration) << registration.error().text;
  EXPECT_LE((*registration)->key().size(), network::longest_key);
  EXPECT_FALSE(near().endpoint().import_region(far_peer(), Bytes())) << "no key";
}

TEST_P(EndpointSuite, a_wrong_key_reaches_nothing) {
  if (!GetParam().checks_keys) GTEST_SKIP() << "its keys are not checked";
  std::vector<std::byte> memory(4096);
  const auto registration = far().endpoint().register_memory(memory);
  const Bytes right = (*registration)->key();
  std::vector<std::byte> wrong(right.begin(), right.end());
  wrong.back() ^= std::byte{0x10};
  const auto region = near().endpoint().import_region(far_peer(), wrong);
  EXPECT_FALSE(region && write(*region, 0, pattern(64, 1)));
  EXPECT_EQ(std::ranges::count(memory, std::byte{0}), 4096);
}

TEST_P(EndpointSuite, what_is_not_registered_is_out_of_reach) {
  if (!GetParam().checks_keys) GTEST_SKIP() << "its places are not checked";
  std::vector<std::byte> memory(8192);
  const Region region = share(MutableBytes(memory).first(4096));
  EXPECT_FALSE(write(region, 4096 - 8, pattern(64, 1)));
  EXPECT_EQ(std::ranges::count(memory, std::byte{0}), 8192);
}

}  // namespace
}  // namespace gondwana::test
