#include <algorithm>
#include <cstring>

#include "support/rank_test.hpp"

namespace gondwana::test {
namespace {

using namespace shmem;

std::size_t offset_of(World& world, const void* block) {
  return world.engine().symmetric().ranges().offset_of(block, std::size_t{1});
}

RANK_TEST(blocks_lie_at_the_same_offset_on_every_rank, ranks(1)) {
  const auto offset = world.allocate<std::size_t>();
  void* first = heap_malloc(world.as("malloc"), 1000);
  void* second = heap_align(world.as("align"), 4096, 10);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second) % 4096, 0U);
  heap_free(world.as("free"), first);
  void* third = heap_malloc(world.as("malloc"), 100'000);
  offset[0] = offset_of(world, third);
  world.barrier();
  EXPECT_EQ(g(world.as("g"), offset.data(), world.right()), offset[0]);
  heap_free(world.as("free"), second);
  heap_free(world.as("free"), third);
  world.free(offset);
}

RANK_TEST(blocks_are_aligned_as_asked_on_every_rank, ranks(1)) {
  const auto offset = world.allocate<std::size_t>();
  const std::size_t heap = world.engine().symmetric().heap_size();
  for (std::size_t alignment = 64; alignment <= arena_alignment; alignment *= 2) {
    void* block = heap_align(world.as("align"), alignment, 100);
    if (block == nullptr) {
      EXPECT_LT(heap, 2 * alignment);
      continue;
    }
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U) << alignment;
    offset[0] = offset_of(world, block);
    world.barrier();
    EXPECT_EQ(g(world.as("g"), offset.data(), world.right()), offset[0]);
    heap_free(world.as("free"), block);
  }
  EXPECT_EQ(heap_align(world.as("align"), 2 * arena_alignment, 100), nullptr);
  world.free(offset);
}

RANK_TEST(a_block_beyond_four_gibibytes_can_be_put_to, ranks(1)) {
#if defined(__SANITIZE_ADDRESS__)
  if (world.size() > 4) GTEST_SKIP() << "shadow memory: 3.5 GiB in each of 7 ranks";
#endif
  constexpr std::size_t size = std::size_t{5} << 30;
  auto* block = static_cast<std::uint8_t*>(heap_malloc(world.as("malloc"), size));
  ASSERT_NE(block, nullptr);
  p(world.as("p"), block + size - 1, static_cast<std::uint8_t>(world.me() + 1), world.right());
  world.barrier();
  EXPECT_EQ(block[size - 1], world.left() + 1);
  heap_free(world.as("free"), block);
}

RANK_TEST(calloc_clears_what_an_earlier_block_left, ranks(1)) {
  for (const std::size_t size : {100UL, 3'000'000UL}) {
    auto* dirty = static_cast<char*>(heap_malloc(world.as("malloc"), size));
    std::memset(dirty, 0x5a, size);
    heap_free(world.as("free"), dirty);
    auto* clean = static_cast<char*>(heap_calloc(world.as("calloc"), size, 1));
    EXPECT_EQ(clean, dirty);
    EXPECT_TRUE(std::all_of(clean, clean + size, [](char byte) { return byte == 0; }));
    heap_free(world.as("free"), clean);
  }
}

// A rank that is late to clear its block must not clear what a peer has already put there.
RANK_TEST(calloc_clears_before_any_peer_can_write, ranks(2)) {
  for (int round = 0; round < 50; ++round) {
    const auto cells = world.allocate<long>(5'000);
    for (const std::size_t i : {0UL, 2'500UL, 4'999UL})
      p(world.as("p"), &cells[i], 7L, world.right());
    world.barrier();
    EXPECT_EQ(cells[0] + cells[2'500] + cells[4'999], 21);
    world.free(cells);
  }
}

RANK_TEST(realloc_keeps_the_contents, ranks(1)) {
  auto* block = static_cast<int*>(heap_malloc(world.as("malloc"), 100 * sizeof(int)));
  void* wall = heap_malloc(world.as("malloc"), 64);  // so that it must move
  for (int i = 0; i < 100; ++i) block[i] = i;
  block = static_cast<int*>(heap_realloc(world.as("realloc"), block, 10'000 * sizeof(int)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(block[i], i);
  block = static_cast<int*>(heap_realloc(world.as("realloc"), block, 10 * sizeof(int)));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(block[i], i);
  heap_free(world.as("free"), wall);
  EXPECT_EQ(heap_realloc(world.as("realloc"), block, 0), nullptr);
}

RANK_TEST(a_full_heap_gives_null_and_stays_usable, ranks(1)) {
  EXPECT_EQ(heap_malloc(world.as("malloc"), std::size_t{1} << 50), nullptr);
  EXPECT_EQ(heap_calloc(world.as("calloc"), std::size_t{1} << 40, std::size_t{1} << 40), nullptr);
  EXPECT_EQ(heap_malloc(world.as("malloc"), 0), nullptr);
  void* block = heap_malloc(world.as("malloc"), 64);
  EXPECT_NE(block, nullptr);
  heap_free(world.as("free"), block);
}

RANK_TEST(alignments_that_are_no_power_of_two_give_null, ranks(1)) {
  for (const std::size_t alignment : {0UL, 3UL, 63UL})
    EXPECT_EQ(heap_align(world.as("align"), alignment, 64), nullptr);
}

RANK_TEST(unknown_hints_are_ignored, ranks(1)) {
  void* block = heap_malloc_with_hints(world.as("malloc"), 64, 1L << 40);
  EXPECT_NE(block, nullptr);
  heap_free(world.as("free"), block);
}

RANK_TEST(freeing_twice_is_said_in_words, ranks(1)) {
  void* block = heap_malloc(world.as("malloc"), 64);
  heap_free(world.as("free"), block);
  EXPECT_THROW(heap_free(world.as("shmem_free"), block), GaveUp);
}

}  // namespace
}  // namespace gondwana::test
