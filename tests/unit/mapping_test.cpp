#include "core/mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace gondwana {
namespace {

// Whether any mapping covers the page at `address`: msync refuses unmapped ranges.
bool is_mapped(const std::byte* address) {
  return ::msync(const_cast<std::byte*>(address), page_size(), MS_ASYNC) == 0;
}

TEST(mapping, reservation_takes_the_wanted_address_where_it_is_free) {
  std::byte* wanted = nullptr;
  {
    const Result<Mapping> anywhere = Mapping::reserve(nullptr, 16 * page_size());
    ASSERT_TRUE(anywhere);
    wanted = (*anywhere).data();
  }
  const Result<Mapping> there = Mapping::reserve(wanted, 16 * page_size());
  ASSERT_TRUE(there);
  EXPECT_EQ((*there).data(), wanted);
  EXPECT_EQ((*there).size(), 16 * page_size());
}

TEST(mapping, reservation_goes_elsewhere_where_the_wanted_address_is_taken) {
  const Result<Mapping> first = Mapping::reserve(nullptr, page_size());
  ASSERT_TRUE(first);
  const Result<Mapping> second = Mapping::reserve((*first).data(), page_size());
  ASSERT_TRUE(second);
  EXPECT_NE((*second).data(), (*first).data());
}

TEST(mapping, its_end_gives_the_address_space_back) {
  const std::byte* start = nullptr;
  {
    const Result<Mapping> mapping = Mapping::reserve(nullptr, page_size());
    ASSERT_TRUE(mapping);
    start = (*mapping).data();
    EXPECT_TRUE(is_mapped(start));
  }
  EXPECT_FALSE(is_mapped(start));
}

TEST(mapping, moving_hands_over_the_range) {
  Result<Mapping> mapping = Mapping::reserve(nullptr, page_size());
  ASSERT_TRUE(mapping);
  std::byte* const start = mapping->data();
  const Mapping moved = *std::move(mapping);
  EXPECT_EQ(moved.data(), start);
  EXPECT_TRUE(is_mapped(start));
}

TEST(mapping, two_views_of_one_memory_show_the_same_bytes) {
  const Result<UniqueFd> memory = create_memfd("mapping_test", 2 * page_size());
  ASSERT_TRUE(memory);
  const Result<Mapping> one = Mapping::shared(*memory, 2 * page_size());
  const Result<Mapping> two = Mapping::shared(*memory, 2 * page_size());
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  (*one).data()[page_size()] = std::byte{42};
  EXPECT_EQ((*two).data()[page_size()], std::byte{42});
}

TEST(mapping, overlay_lays_memory_over_part_of_a_reservation) {
  const Result<UniqueFd> memory = create_memfd("mapping_test", page_size());
  ASSERT_TRUE(memory);
  Result<Mapping> range = Mapping::reserve(nullptr, 3 * page_size());
  ASSERT_TRUE(range);
  ASSERT_TRUE(range->overlay(page_size(), *memory, page_size()));
  const Result<Mapping> view = Mapping::shared(*memory, page_size());
  ASSERT_TRUE(view);
  range->data()[page_size() + 5] = std::byte{7};
  EXPECT_EQ((*view).data()[5], std::byte{7});
}

TEST(mapping, overlay_may_lay_a_later_part_of_memory) {
  const Result<UniqueFd> memory = create_memfd("mapping_test", 3 * page_size());
  ASSERT_TRUE(memory);
  Result<Mapping> range = Mapping::reserve(nullptr, page_size());
  ASSERT_TRUE(range);
  ASSERT_TRUE(range->overlay(0, *memory, page_size(), 2 * page_size()));
  const Result<Mapping> view = Mapping::shared(*memory, 3 * page_size());
  ASSERT_TRUE(view);
  range->data()[5] = std::byte{7};
  EXPECT_EQ((*view).data()[2 * page_size() + 5], std::byte{7});
}

TEST(mapping, reservation_begins_at_a_multiple_of_what_is_asked_for) {
  constexpr std::size_t alignment = std::size_t{1} << 21;
  std::vector<Mapping> kept;
  for (int i = 0; i < 8; ++i) {
    Result<Mapping> range = Mapping::reserve(nullptr, 3 * page_size(), alignment);
    ASSERT_TRUE(range);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range->data()) % alignment, 0U);
    EXPECT_TRUE(is_mapped(range->data() + 2 * page_size()));
    kept.push_back(*std::move(range));
    kept.push_back(*Mapping::reserve(nullptr, page_size()));  // keeps this address in use
  }
}

TEST(mapping, huge_pages_that_are_not_there_are_refused_in_words) {
  const Result<UniqueFd> memory = create_huge_memfd("mapping_test", std::size_t{1} << 50);
  ASSERT_FALSE(memory);
  EXPECT_TRUE(memory.error().text.starts_with("cannot use huge pages: ") ||
              memory.error().text.starts_with("cannot reserve 1 PiB of huge pages: "))
      << memory.error().text;
}

TEST(mapping, range_that_no_machine_has_is_refused_in_words) {
  const Result<Mapping> mapping = Mapping::reserve(nullptr, std::size_t{1} << 62);
  ASSERT_FALSE(mapping);
  EXPECT_EQ(mapping.error().code, Errc::out_of_memory);
  EXPECT_EQ(mapping.error().text,
            "cannot map 4 EiB of address space: Cannot allocate memory; is it limited (ulimit "
            "-v)?");
}

TEST(mapping, memfd_is_sparse_sealed_and_not_inherited) {
  constexpr std::size_t length = std::size_t{1} << 30;
  const Result<UniqueFd> memory = create_memfd("mapping_test", length);
  ASSERT_TRUE(memory);
  struct stat status{};
  ASSERT_EQ(::fstat((*memory).get(), &status), 0);
  EXPECT_EQ(static_cast<std::size_t>(status.st_size), length);
  EXPECT_EQ(status.st_blocks, 0);
  EXPECT_EQ(::fcntl((*memory).get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_NE(::ftruncate((*memory).get(), 0), 0);
  EXPECT_EQ(errno, EPERM);
}

TEST(mapping, sizes_are_told_in_the_largest_unit_that_fits) {
  EXPECT_EQ(format_size_option(std::size_t{3} << 30), "3072M");
  EXPECT_EQ(format_size_option((std::size_t{1} << 20) - 1), "1023K");
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(17), "17 B");
  EXPECT_EQ(format_size(static_cast<std::size_t>(-8)), "a negative size (-8)");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1 KiB");
  EXPECT_EQ(format_size(std::size_t{64} << 20), "64 MiB");
  EXPECT_EQ(format_size(std::size_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(format_size(std::size_t{1} << 62), "4 EiB");
}

}  // namespace
}  // namespace gondwana
