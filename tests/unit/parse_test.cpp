#include "core/parse.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gondwana {
namespace {

std::size_t size_of(std::string_view text) {
  const Result<std::size_t> size = parse_size(text);
  EXPECT_TRUE(size) << text << ": " << (size ? "" : size.error().text);
  return size ? *size : 0;
}

std::string refusal_of_size(std::string_view text) {
  const Result<std::size_t> size = parse_size(text);
  EXPECT_FALSE(size) << text;
  return size ? "" : size.error().text;
}

TEST(parse, size_without_a_unit_is_bytes) {
  EXPECT_EQ(size_of("0"), 0U);
  EXPECT_EQ(size_of("8192"), 8192U);
  EXPECT_EQ(size_of("17B"), 17U);
}

TEST(parse, size_units_are_powers_of_1024_in_either_case) {
  EXPECT_EQ(size_of("8K"), 8192U);
  EXPECT_EQ(size_of("8k"), 8192U);
  EXPECT_EQ(size_of("8kb"), 8192U);
  EXPECT_EQ(size_of("64MiB"), std::size_t{64} << 20);
  EXPECT_EQ(size_of("2 GB"), std::size_t{2} << 30);
  EXPECT_EQ(size_of("3t"), std::size_t{3} << 40);
}

TEST(parse, size_may_have_a_fraction) {
  EXPECT_EQ(size_of("1.5m"), std::size_t{3} << 19);
  EXPECT_EQ(size_of("0.5K"), 512U);
  EXPECT_EQ(size_of("0.1"), 0U);
}

TEST(parse, malformed_size_is_told_with_an_example) {
  EXPECT_EQ(refusal_of_size("8q"), "\"8q\": expected a size such as 8192, 8K or 1.5G");
  for (const char* text : {"", "K", "-1", "-0", "+1", " 1", "1KK", "1 K B", "0x10", "1e3", "nan",
                           "1Kib!", "12 34", "1 "})
    EXPECT_NE(refusal_of_size(text).find("expected a size"), std::string::npos) << text;
}

TEST(parse, size_beyond_address_space_is_refused) {
  EXPECT_EQ(refusal_of_size("8388608T"), "\"8388608T\": that is more than 8 EiB");
  EXPECT_EQ(refusal_of_size("inf"), "\"inf\": that is more than 8 EiB");
  EXPECT_EQ(size_of("8000000T"), std::size_t{8'000'000} << 40);
}

TEST(parse, number_within_its_range) {
  EXPECT_EQ(*parse_number("7", 1, 10), 7U);
  EXPECT_EQ(*parse_number("1", 1, 10), 1U);
  EXPECT_EQ(*parse_number("10", 1, 10), 10U);
  EXPECT_EQ(*parse_number("18446744073709551615", 0, ~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(parse, number_out_of_range_or_with_more_behind_it_is_told) {
  for (const char* text : {"0", "11", "", "-1", "+1", " 5", "5 ", "5x", "18446744073709551616"}) {
    const Result<std::uint64_t> number = parse_number(text, 1, 10);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().text,
              std::string("\"") + text + "\": expected a whole number from 1 to 10");
  }
}

TEST(parse, switch_takes_the_usual_words) {
  for (const char* text : {"1", "yes", "YES", "on", "True", "y"})
    EXPECT_TRUE(*parse_switch(text)) << text;
  for (const char* text : {"0", "no", "Off", "false", "n", ""})
    EXPECT_FALSE(*parse_switch(text)) << text;
  const Result<bool> maybe = parse_switch("maybe");
  ASSERT_FALSE(maybe);
  EXPECT_EQ(maybe.error().text, "\"maybe\": expected yes or no");
}

TEST(parse, nearest_is_the_candidate_with_the_fewest_changes) {
  constexpr std::array<std::string_view, 3> candidates{"heap_size", "spins", "fault_handler"};
  EXPECT_EQ(nearest("heap_size", candidates), "heap_size");
  EXPECT_EQ(nearest("heapsize", candidates), "heap_size");
  EXPECT_EQ(nearest("fault_handlers", candidates), "fault_handler");
}

TEST(parse, nothing_is_nearest_to_a_word_unlike_all) {
  constexpr std::array<std::string_view, 2> candidates{"heap_size", "spins"};
  EXPECT_EQ(nearest("verbose", candidates), "");
  EXPECT_EQ(nearest("", candidates), "");
  EXPECT_EQ(nearest("heap_size", {}), "");
}

TEST(parse, sizes_of_the_standard_are_rounded_up_and_may_have_a_tail) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"0", 0},          {"512", 512},      {"20m", 20971520},  {"20M", 20971520},
      {"3.1M", 3250586}, {".5m", 524288},   {"0.5m", 524288},   {"5.", 5},
      {"0.1", 1},        {"20kk", 20480},   {"1GiB", 1U << 30}, {"2k of it", 2048},
      {"1e3", 1000},     {"1.5e1k", 15360}, {"1T", 1UL << 40},
  };
  for (const auto& [text, bytes] : cases) {
    const Result<std::size_t> size = parse_standard_size(text);
    ASSERT_TRUE(size) << text;
    EXPECT_EQ(*size, bytes) << text;
  }
}

TEST(parse, sizes_that_the_standard_does_not_know_are_refused) {
  for (const char* text : {"", "m", "-1", "-0", "8q", "8b", "8 k", " 8", "auto", "nan", "inf",
                           "0x8", "1e99", "9000000T", "."})
    EXPECT_FALSE(parse_standard_size(text)) << text;
}

}  // namespace
}  // namespace gondwana
