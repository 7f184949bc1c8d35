#include "engine/symmetric/symmetric_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/access_checkers.hpp"
#include "support/nodes.hpp"

namespace gondwana {
namespace {

// AddressSanitizer ends the test otherwise.
TEST(SymmetricMemory, after_its_end_memory_before_the_heap_may_be_used) {
  if (!has_address_sanitizer()) GTEST_SKIP() << "only AddressSanitizer sees it";
  const std::shared_ptr<NodeMemory> memory =
      test::get_or_abort(NodeMemory::create(NodeShare::whole(1)));
  const HeapPlace place{.offset = huge_offset, .size = huge_page, .huge = 0, .redzones = true};
  std::byte* before = memory->window(Rank(0)) + place.offset - 1;
  {
    const SymmetricMemory heap(memory, Rank(0), {}, place);
  }
  *before = std::byte{1};
  EXPECT_EQ(*before, std::byte{1});
}

TEST(heap, blocks_of_another_heap_make_an_equal_one) {
  Heap one(1 << 20);
  std::vector<Heap::Block> blocks;
  for (std::size_t size : {100, 5000, 64, 20'000, 1}) blocks.push_back(*one.allocate(size));
  for (const std::size_t freed : {1, 3}) one.release(blocks[freed].offset);
  Heap other(1 << 20);
  for (const std::size_t kept : {4, 0, 2})
    EXPECT_TRUE(other.allocate_at(blocks[kept].offset, blocks[kept].size));
  EXPECT_FALSE(other.allocate_at(blocks[0].offset, 64)) << "it is taken";
  EXPECT_FALSE(other.allocate_at(blocks[1].offset, blocks[1].size + 64)) << "not all of it is free";
  EXPECT_FALSE(other.allocate_at(blocks[1].offset + 1, 64));
  EXPECT_FALSE(other.allocate_at(1 << 20, 64));
  EXPECT_EQ(other.used(), one.used());
  for (const std::size_t size : {4000, 30'000, 100, 900'000, 300})
    EXPECT_EQ(other.allocate(size)->offset, one.allocate(size)->offset);
}

TEST(heap_pages, memory_that_was_handed_out_is_cleared_and_other_is_left_alone) {
  const std::shared_ptr<NodeMemory> memory =
      test::get_or_abort(NodeMemory::create(NodeShare::whole(1)));
  const HeapPlace place{.offset = huge_offset, .size = huge_page, .huge = 0, .redzones = false};
  HeapPages pages(memory, Rank(0), place, 0, 0);
  const MutableBytes bytes = pages.bytes();
  EXPECT_EQ(bytes.data(), memory->window(Rank(0)) + place.offset);
  pages.allow(0, bytes.size());
  bytes[100] = std::byte{1};
  bytes[300] = std::byte{2};
  pages.touch(200);
  EXPECT_EQ(pages.touched_in_arena(), place.offset + 200);
  pages.clear(0, 400);
  EXPECT_EQ(bytes[100], std::byte{0});
  EXPECT_EQ(bytes[300], std::byte{2}) << "it counts as memory that reads as zero";
}

TEST(heap_pages, whole_pages_of_a_large_block_are_given_back_and_read_as_zero) {
  const std::shared_ptr<NodeMemory> memory =
      test::get_or_abort(NodeMemory::create(NodeShare::whole(1)));
  const HeapPlace place{.offset = huge_offset, .size = huge_page, .huge = 0, .redzones = false};
  HeapPages pages(memory, Rank(0), place, 0, 0);
  pages.allow(0, pages.bytes().size());
  std::ranges::fill(pages.bytes(), std::byte{3});
  const HeapPages::Span small = pages.give_back(64, 8192);
  EXPECT_EQ(small.begin, small.end) << "too little to be worth a system call";
  const HeapPages::Span given = pages.give_back(64, huge_page / 2);
  EXPECT_LT(given.begin, given.end);
  EXPECT_EQ(pages.bytes()[64 + given.begin], std::byte{0});
  EXPECT_EQ(pages.bytes()[64 + given.end - 1], std::byte{0});
  EXPECT_EQ(pages.bytes()[64 + given.end], std::byte{3});
  EXPECT_EQ(pages.bytes()[0], std::byte{3});
}

}  // namespace
}  // namespace gondwana
