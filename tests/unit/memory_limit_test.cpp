#include "core/memory_limit.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

// The bytes for each of 4 processes on a host with 8 GiB.
std::size_t bytes(std::string_view text, LimitScope otherwise = LimitScope::process) {
  const Result<MemoryLimit> limit = parse_memory_limit(text, otherwise);
  EXPECT_TRUE(limit) << text;
  return limit ? limit->for_each(4, 8 * gib) : 0;
}

TEST(memory_limit, a_size_holds_for_each_process) {
  EXPECT_EQ(bytes("4GB/P"), 4 * gib);
  EXPECT_EQ(bytes("128.0MB/P"), 128 * mib);  // in the notation of upcxx-run
  EXPECT_EQ(bytes("512mb"), 512 * mib);
  EXPECT_EQ(bytes("65536"), 64 * kib);
  EXPECT_EQ(bytes(" 1 G/p "), gib);
}

TEST(memory_limit, the_processes_of_a_host_share_what_is_for_the_host) {
  EXPECT_EQ(bytes("4GB/H"), gib);
  EXPECT_EQ(bytes("4GB/h"), gib);
  EXPECT_EQ(bytes("4GB", LimitScope::host), gib);
  EXPECT_EQ(bytes("4GB/P", LimitScope::host), 4 * gib);
}

TEST(memory_limit, a_number_up_to_1_is_a_part_of_memory) {
  EXPECT_EQ(bytes("0.5/H"), gib);
  EXPECT_EQ(bytes("0.25/P"), 2 * gib);
  EXPECT_EQ(bytes("1/H"), 2 * gib);
  EXPECT_EQ(bytes("5/8"), 5 * gib);
  EXPECT_EQ(bytes("3/4/H"), 3 * gib / 2);
}

TEST(memory_limit, anything_else_is_refused_with_the_text_and_an_example) {
  for (const std::string_view text :
       {"", "much", "4GB/X", "-1", "-0.5/H", "0", "0/H", "0.0", "5/0", "9/8", "4 4", "nan", "inf",
        "1e3", "/H", "4GB/P/H", "99999999999999T"}) {
    const Result<MemoryLimit> limit = parse_memory_limit(text, LimitScope::process);
    ASSERT_FALSE(limit) << text;
    EXPECT_NE(limit.error().text.find(text), std::string::npos);
    EXPECT_NE(limit.error().text.find("0.85/H"), std::string::npos);
  }
}

}  // namespace
}  // namespace gondwana
