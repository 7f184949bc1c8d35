// Network polls take a third of the time of a loop of calls, and delay nothing for long.
#include "engine/wait/rare_polls.hpp"

#include <gtest/gtest.h>

namespace gondwana {
namespace {

// A loop of calls that take 10 units each, with network polls of 500.
struct Loop {
  RarePolls polls;
  std::uint64_t now = 0;
  std::uint64_t polled = 0;

  bool call(bool found = false, std::uint64_t length = 500) {
    now += 10;
    if (!polls.is_due(now)) return false;
    const std::uint64_t begin = now;
    now += length;
    polls.polled(begin, now, found);
    ++polled;
    return true;
  }
};

TEST(rare_polls, take_a_third_of_the_time_of_a_loop) {
  Loop loop;
  for (int call = 0; call < 100'000; ++call) loop.call();
  const double share = static_cast<double>(loop.polled * 500) / static_cast<double>(loop.now);
  EXPECT_NEAR(share, 1.0 / 3, 0.01);
}

TEST(rare_polls, calls_with_pauses_poll_each_time) {
  Loop loop;
  for (int call = 0; call < 1000; ++call) {
    loop.now += 1000;
    EXPECT_TRUE(loop.call());
  }
}

TEST(rare_polls, a_poll_that_finds_something_is_repeated_at_once) {
  Loop loop;
  for (int call = 0; call < 1000; ++call) loop.call();
  while (!loop.call(true)) continue;
  EXPECT_TRUE(loop.call());
}

TEST(rare_polls, an_interrupted_poll_delays_the_next_one_little) {
  Loop loop;
  for (int call = 0; call < 1000; ++call) loop.call();
  while (!loop.call(false, 10'000'000)) continue;
  const std::uint64_t end = loop.now;
  while (!loop.call()) continue;
  EXPECT_LT(loop.now - end, 2000U);
}

}  // namespace
}  // namespace gondwana
