#include "bootstrap/roll_call.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bootstrap/job_memory.hpp"

namespace gondwana {
namespace {

using Ranks = std::vector<std::uint32_t>;

// A unique job name, so that no two tests or runs interfere.
std::string fresh_job() {
  const Result<std::uint64_t> number = random_number();
  EXPECT_TRUE(number);
  return "test" + std::to_string(*number);
}

TEST(roll_call, who_has_not_come_is_missing) {
  const std::string job = fresh_job();
  const RollCall second(job, 1);
  const RollCall fourth(job, 3);
  EXPECT_EQ(second.missing(5), (Ranks{0, 2, 4}));
  EXPECT_EQ(fourth.missing(4), (Ranks{0, 2}));
}

TEST(roll_call, who_has_left_is_missing) {
  const std::string job = fresh_job();
  const RollCall first(job, 0);
  {
    const RollCall second(job, 1);
    EXPECT_EQ(first.missing(2), Ranks{});
  }
  EXPECT_EQ(first.missing(2), Ranks{1});
}

TEST(roll_call, jobs_do_not_meet) {
  const RollCall ours(fresh_job(), 0);
  const RollCall theirs(fresh_job(), 1);
  EXPECT_EQ(ours.missing(2), Ranks{1});
}

}  // namespace
}  // namespace gondwana
