#include "operations/strided/copy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "operations/strided/optimize.hpp"
#include "support/strided_cases.hpp"

namespace gondwana::strided {
namespace {

void expect_copied(const test::Case& c, test::Ends& ends, End ordered) {
  const Result<Transfer> transfer = optimize(c.description(), ordered);
  ASSERT_TRUE(transfer) << transfer.error().text;
  copy(*transfer, ends.target.base(), ends.source.base());
  ASSERT_TRUE(ends.target == ends.expected) << c;
}

TEST(strided_copy, random_transfers_copy_what_a_naive_loop_copies) {
  for (std::uint64_t round = 0; round < 1500; ++round) {
    test::Random random(round);
    const test::Case c = test::random_case(random);
    test::Ends ends(c, random);
    ASSERT_NO_FATAL_FAILURE(expect_copied(c, ends, random.once_in(2) ? End::target : End::source));
  }
}

TEST(strided_copy, runs_equally_far_apart_at_both_ends_leave_the_gaps_alone) {
  for (const std::ptrdiff_t stride : {2, 4, 8, 16, 24, 32, 64})
    for (std::size_t run = 1; run < static_cast<std::size_t>(stride); run += 1 + run / 3)
      for (const std::size_t count : {2U, 7U, 64U, 131U}) {
        test::Random random(run * count);
        const std::ptrdiff_t row = stride * static_cast<std::ptrdiff_t>(count) + 40;
        const test::Case c{run, {count, 3}, {stride, row}, {stride, 2 * row}};
        test::Ends ends(c, random);
        ASSERT_NO_FATAL_FAILURE(expect_copied(c, ends, End::target));
      }
}

// rows x columns elements: row-major at the source, column-major at the target, with columns `gap`
// bytes longer than necessary.
test::Case transposition(std::size_t element, std::size_t rows, std::size_t columns,
                         std::size_t gap) {
  const auto signed_size = [](std::size_t size) { return static_cast<std::ptrdiff_t>(size); };
  return {element,
          {rows, columns},
          {signed_size(element), signed_size(rows * element + gap)},
          {signed_size(columns * element), signed_size(element)}};
}

TEST(strided_copy, matrices_of_any_shape_are_transposed) {
  for (const std::size_t element : {1U, 2U, 4U, 8U, 16U, 24U})
    for (const std::size_t rows : {2U, 3U, 4U, 15U, 16U, 17U, 37U, 130U})
      for (const std::size_t columns : {2U, 7U, 8U, 16U, 33U, 70U}) {
        test::Random random(rows * columns);
        const test::Case c = transposition(element, rows, columns, element * random.below(3));
        test::Ends ends(c, random);
        ASSERT_NO_FATAL_FAILURE(expect_copied(c, ends, End::target));
      }
}

TEST(strided_copy, large_matrices_are_transposed_wherever_they_begin) {
  // Columns of whole cache lines, in 8 MiB and more: only these use streaming stores.
  for (const std::size_t element : {4U, 8U}) {
    test::Random random(element);
    const test::Case c = transposition(element, 1088, 8200 / element, 0);
    test::Arena source(*bounds(c.description(), End::source), 0);
    source.fill(random);
    for (const std::size_t misalignment : {0U, 56U, 3U}) {
      test::Arena target(*bounds(c.description(), End::target), misalignment);
      test::Arena expected = target;
      test::copy_naively(c, expected.base(), source.base());
      copy(*optimize(c.description(), End::target), target.base(), source.base());
      ASSERT_TRUE(target == expected) << c << ", at " << misalignment;
    }
  }
}

TEST(strided_copy, a_single_run_is_copied) {
  test::Random random(0);
  const test::Case c{1000, {}, {}, {}};
  test::Ends ends(c, random);
  ASSERT_NO_FATAL_FAILURE(expect_copied(c, ends, End::target));
}

TEST(strided_copy, an_empty_transfer_touches_nothing) {
  copy(Transfer(), nullptr, nullptr);
  const test::Case c{8, {0, 3}, {8, 8}, {8, 8}};
  copy(*optimize(c.description(), End::target), nullptr, nullptr);
}

// Sets every other word of `target` to `value`.
void put_words(std::span<std::uint64_t> target, std::uint64_t value) {
  const test::Case c{8, {target.size() / 2}, {16}, {0}};
  copy(*optimize(c.description(), End::target), reinterpret_cast<std::byte*>(target.data()),
       reinterpret_cast<const std::byte*>(&value));
}

TEST(strided_copy, a_polled_word_is_seen_whole) {
  std::vector<std::uint64_t> words(64);
  std::atomic<bool> is_over = false;
  std::atomic<bool> is_torn = false;
  std::thread poller([&] {
    while (!is_over)
      for (std::size_t i = 0; i < words.size(); i += 2) {
        const std::uint64_t seen = std::atomic_ref(words[i]).load(std::memory_order_acquire);
        if (seen != 0 && seen != ~std::uint64_t{0}) is_torn = true;
      }
  });
  for (int round = 0; round < 20'000; ++round)
    put_words(words, round % 2 == 0 ? ~std::uint64_t{0} : 0);
  is_over = true;
  poller.join();
  EXPECT_FALSE(is_torn);
}

}  // namespace
}  // namespace gondwana::strided
