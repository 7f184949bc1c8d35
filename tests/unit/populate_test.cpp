#include "memory/populate.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "memory/node_plan.hpp"

namespace gondwana {
namespace {

constexpr std::size_t length = 5 * huge_page;

// Shared memory of the kind that arenas use.
Mapping fresh_memory() {
  Result<UniqueFd> memory = create_memfd("populate_test", length);
  EXPECT_TRUE(memory);
  Result<Mapping> mapping = Mapping::shared(*memory, length);
  EXPECT_TRUE(mapping);
  return *std::move(mapping);
}

MutableBytes bytes_of(const Mapping& mapping) {
  return {mapping.data(), mapping.size()};
}

std::size_t resident(MutableBytes bytes) {
  std::vector<unsigned char> pages(bytes.size() / page_size());
  EXPECT_EQ(::mincore(bytes.data(), bytes.size(), pages.data()), 0);
  const auto count =
      std::ranges::count_if(pages, [](unsigned char page) { return (page & 1U) != 0; });
  return static_cast<std::size_t>(count) * page_size();
}

class Populating : public testing::TestWithParam<Populate> {};

INSTANTIATE_TEST_SUITE_P(ways, Populating,
                         testing::Values(Populate::by_advice, Populate::by_writing));

TEST_P(Populating, all_pages_are_there_afterwards_and_zero) {
  for (const std::uint32_t threads : {1U, 2U, 7U}) {
    const Mapping mapping = fresh_memory();
    ASSERT_EQ(resident(bytes_of(mapping)), 0U);
    ASSERT_TRUE(populate(bytes_of(mapping), threads, GetParam()));
    EXPECT_EQ(resident(bytes_of(mapping)), length);
    EXPECT_TRUE(std::ranges::all_of(bytes_of(mapping),
                                    [](std::byte byte) { return byte == std::byte{0}; }));
  }
}

TEST_P(Populating, no_page_beside_the_range_is_taken) {
  const Mapping mapping = fresh_memory();
  const MutableBytes range = bytes_of(mapping).subspan(3 * page_size(), huge_page + page_size());
  ASSERT_TRUE(populate(range, 2, GetParam()));
  if (resident(bytes_of(mapping)) % huge_page == 0) GTEST_SKIP() << "pages are huge here";
  EXPECT_EQ(resident(bytes_of(mapping)), range.size());
}

TEST_P(Populating, what_is_there_already_stays) {
  const Mapping mapping = fresh_memory();
  const MutableBytes bytes = bytes_of(mapping);
  for (const std::size_t at : {std::size_t{0}, page_size() + 17, length - 1})
    bytes[at] = std::byte{42};
  ASSERT_TRUE(populate(bytes, 2, GetParam()));
  EXPECT_EQ(resident(bytes), length);
  EXPECT_EQ(std::ranges::count(bytes, std::byte{42}), 3);
}

TEST_P(Populating, what_others_write_meanwhile_stays) {
  const Mapping mapping = fresh_memory();
  const MutableBytes bytes = bytes_of(mapping);
  {
    const std::jthread other([bytes] {
      for (std::size_t at = 0; at < bytes.size(); at += page_size()) {
        const std::atomic_ref<std::byte> byte(bytes[at]);
        byte.store(std::byte{7}, std::memory_order_relaxed);
      }
    });
    ASSERT_TRUE(populate(bytes, 2, GetParam()));
  }
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(bytes, std::byte{7})),
            length / page_size());
}

TEST(populate, memory_that_is_not_there_is_told_in_words) {
  const Result<Mapping> reserved = Mapping::reserve(nullptr, length);
  ASSERT_TRUE(reserved);
  const Result<UniqueFd> memory = create_memfd("populate_test", page_size());
  ASSERT_TRUE(memory);
  // Beyond the end of the memory there are no pages, as on a machine without free memory.
  void* start = ::mmap((*reserved).data(), length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                       (*memory).get(), 0);
  ASSERT_EQ(start, (*reserved).data());
  const MutableBytes one_page{(*reserved).data(), page_size()};
  if (::madvise(start, page_size(), 23) != 0 || resident(one_page) == 0)
    GTEST_SKIP() << "no MADV_POPULATE_WRITE here";
  ASSERT_TRUE(populate(one_page, 1));
  const Result<void> all = populate({(*reserved).data(), length}, 2);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, Errc::out_of_memory);
  EXPECT_EQ(all.error().text, "cannot allocate 10 MiB of shared memory: not enough is free");
}

TEST(populate, pages_of_all_domains_in_turn_can_be_asked_for) {
  const Mapping mapping = fresh_memory();
  const Result<void> spread = interleave(bytes_of(mapping));
  if (!spread) GTEST_SKIP() << spread.error().text;
  ASSERT_TRUE(populate(bytes_of(mapping), 2));
  EXPECT_EQ(resident(bytes_of(mapping)), length);
}

TEST(machine, memory_that_is_left_is_a_part_of_what_may_be_used) {
  EXPECT_GT(available_memory(), 0U);
  EXPECT_LE(available_memory(), usable_memory());
}

}  // namespace
}  // namespace gondwana
