#include "engine/wait/poll_backoff.hpp"

#include <gtest/gtest.h>

#include "core/machine.hpp"

namespace gondwana {
namespace {

void fail_times(PollBackoff& polls, int times) {
  for (int i = 0; i < times; ++i) polls.failed();
}

TEST(poll_backoff, who_has_a_processor_keeps_it) {
  PollBackoff polls;
  fail_times(polls, 100'000);
  EXPECT_EQ(polls.yields(), 0U);
}

TEST(poll_backoff, a_loop_looks_first_and_then_yields_at_once) {
  PollBackoff polls = PollBackoff::after(20);
  fail_times(polls, 19);
  EXPECT_EQ(polls.yields(), 0U);
  fail_times(polls, 1);
  EXPECT_EQ(polls.yields(), 1U);
}

TEST(poll_backoff, a_success_starts_the_looks_anew) {
  PollBackoff polls = PollBackoff::after(20);
  for (int i = 0; i < 100; ++i) {
    fail_times(polls, 19);
    polls.found();
  }
  EXPECT_EQ(polls.yields(), 0U);
}

TEST(poll_backoff, a_long_loop_yields_by_time) {
  constexpr int times = 1'000'000;
  constexpr std::uint64_t in_a_row = 256;
  constexpr std::uint64_t interval_ns = 50'000;
  PollBackoff polls = PollBackoff::after(20);
  const std::uint64_t start = monotonic_ns();
  fail_times(polls, times);
  // A loop starts again if the system took its processor between two polls. Each loop polls 20
  // times.
  const std::uint64_t by_time = (monotonic_ns() - start) / interval_ns;
  EXPECT_GE(polls.yields(), 1U);
  EXPECT_LE(polls.yields(), in_a_row + by_time + times / 100);
}

TEST(poll_backoff, another_value_is_no_failed_poll) {
  PollBackoff polls = PollBackoff::after(2);
  const int here = 0;
  const int there = 0;
  for (std::uint64_t value = 0; value < 100; ++value) polls.fetched(&here, value);
  for (int i = 0; i < 100; ++i) polls.fetched(i % 2 == 0 ? &here : &there, 99);
  EXPECT_EQ(polls.yields(), 0U);
}

TEST(poll_backoff, the_same_value_is_a_failed_poll) {
  PollBackoff polls = PollBackoff::after(20);
  const int here = 0;
  for (int i = 0; i < 21; ++i) polls.fetched(&here, 7);
  EXPECT_EQ(polls.yields(), 1U);
}

}  // namespace
}  // namespace gondwana
