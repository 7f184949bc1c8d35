#include "run/io/error_gatherer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/wrap.hpp"

namespace gondwana::launch {
namespace {

TEST(error_gatherer, the_same_error_of_many_ranks_is_one_line) {
  ErrorGatherer errors;
  for (const std::uint32_t rank : {3U, 1U, 0U, 2U, 5U})
    EXPECT_TRUE(
        errors.take(rank, fmt::format("gondwana: rank {}: shmem_init: no room\n", rank), 7));
  EXPECT_GT(errors.due_ns(), 7U);
  EXPECT_EQ(errors.release(), "gondwana: ranks 0-3, 5: shmem_init: no room\n");
  EXPECT_TRUE(errors.is_empty());
  EXPECT_FALSE(errors.due_ns());
}

TEST(error_gatherer, other_errors_stand_in_the_order_of_their_ranks) {
  ErrorGatherer errors;
  EXPECT_TRUE(errors.take(2, "gondwana: rank 2: b\n", 0));
  EXPECT_TRUE(errors.take(2, "  in main\n", 0));
  EXPECT_TRUE(errors.take(1, "gondwana: warning: rank 1: a\n", 0));
  EXPECT_TRUE(errors.take(1, "gondwana: rank 1: b\n", 0));
  EXPECT_TRUE(errors.take(2, "  in start\n", 0));
  EXPECT_EQ(errors.release(),
            "gondwana: warning: rank 1: a\ngondwana: rank 1: b\n"
            "gondwana: rank 2: b\n  in main\n  in start\n");
}

TEST(error_gatherer, many_errors_that_differ_in_numbers_are_two_lines) {
  ErrorGatherer errors;
  for (std::uint32_t rank = 0; rank < 5; ++rank)
    errors.take(
        rank, fmt::format("gondwana: rank {}: at {:#x} of rank {}\n", rank, 4000 + rank, rank + 1),
        0);
  EXPECT_EQ(errors.release(),
            "gondwana: rank 0: at 0xfa0 of rank 1\n"
            "gondwana: ranks 1-4: the same with other numbers\n");
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    errors.take(rank, fmt::format("gondwana: rank {}: at rank {}\n", rank, rank + 1), 0);
  EXPECT_EQ(errors.release(), "gondwana: rank 0: at rank 1\ngondwana: rank 1: at rank 2\n");
}

TEST(error_gatherer, the_frames_of_a_crash_stay_with_it) {
  ErrorGatherer held;
  for (const std::uint32_t rank : {1U, 0U}) {
    EXPECT_TRUE(held.take(rank, fmt::format("gondwana: rank {}: SIGSEGV, in step\n", rank), 0));
    for (int frame = 0; frame < 6; ++frame)
      EXPECT_TRUE(held.take(rank, fmt::format("gondwana: rank {}:   #{} step\n", rank, frame), 0));
  }
  EXPECT_EQ(held.release(),
            "gondwana: ranks 0, 1: SIGSEGV, in step\n  #0 step\n  #1 step\n  #2 step\n"
            "  #3 step\n  #4 step\n  #5 step\n");
}

TEST(error_gatherer, what_a_rank_says_twice_is_shown_twice) {
  ErrorGatherer errors;
  for (int i = 0; i < 4; ++i) errors.take(0, fmt::format("gondwana: rank 0: {}\n", i / 2), 0);
  EXPECT_EQ(errors.release(),
            "gondwana: rank 0: 0\ngondwana: rank 0: 0\ngondwana: rank 0: 1\n"
            "gondwana: rank 0: 1\n");
}

TEST(error_gatherer, only_whole_lines_of_the_library_are_held) {
  ErrorGatherer errors;
  for (const char* text : {"words\n", "gondwana: rank 1: of another\n",
                           "gondwana: rank 0: unfinished", "  indented\n"})
    EXPECT_FALSE(errors.take(0, text, 0)) << text;
  EXPECT_TRUE(errors.is_empty());
}

TEST(wrap, lines_are_broken_at_spaces) {
  const std::string text = "gondwana run: a sentence of some words that is long\n  short\n";
  EXPECT_EQ(wrap_lines(text, 30),
            "gondwana run: a sentence of\n    some words that is long\n  short\n");
  EXPECT_EQ(wrap_lines(text, 0), text);
  const std::string word(60, 'x');
  EXPECT_EQ(wrap_lines(word + " end", 40), word + "\n    end");
  EXPECT_EQ(wrap_lines("  " + word, 40), "  " + word);
}

}  // namespace
}  // namespace gondwana::launch
