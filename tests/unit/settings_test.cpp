#include "front/gasnet/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gondwana::gasnet {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

// A job of 4 processes on a host with 8 GiB.
Result<Settings> settings(const std::map<std::string, std::string>& variables) {
  const auto environment = [&](const char* name) -> const char* {
    const auto value = variables.find(name);
    return value == variables.end() ? nullptr : value->second.c_str();
  };
  return read_settings(environment, 4, 8 * gib);
}

TEST(settings, segments_take_85_percent_of_memory_unless_a_variable_says_how_much) {
  EXPECT_NEAR(static_cast<double>(settings({})->largest_segment), 0.85 * 2 * gib, 1);
  EXPECT_EQ(settings({{"GASNET_MAX_SEGSIZE", "1GB/P"}})->largest_segment, gib);
  EXPECT_EQ(settings({{"GASNET_PHYSMEM_MAX", "4G"}})->largest_segment, gib);
  EXPECT_EQ(settings({{"GASNET_PHYSMEM_MAX", "1/8"}})->largest_segment, gib / 4);
}

TEST(settings, neighborhoods_are_those_that_the_job_was_started_with) {
  for (const char* most : {"0", "4", "255"})
    EXPECT_TRUE(settings({{"GASNET_SUPERNODE_MAXSIZE", most}})) << most;
  const Result<Settings> apart = settings({{"GASNET_SUPERNODE_MAXSIZE", "1"}});
  ASSERT_FALSE(apart);
  EXPECT_NE(apart.error().text.find("network"), std::string::npos);
  EXPECT_TRUE(settings({{"GASNET_SUPERNODE_MAXSIZE", "1"}, {"GONDWANA_NODE_RANKS", "4"}}));
}

TEST(settings, a_number_of_threads_may_be_named) {
  EXPECT_EQ(settings({})->most_threads, 256U);
  EXPECT_EQ(settings({{"GASNET_MAX_THREADS", "12"}})->most_threads, 12U);
}

TEST(settings, what_cannot_be_read_is_refused_by_its_name) {
  for (const char* name : {"GASNET_MAX_SEGSIZE", "GASNET_PHYSMEM_MAX", "GASNET_MAX_THREADS",
                           "GASNET_SUPERNODE_MAXSIZE"}) {
    const Result<Settings> refused = settings({{name, "much"}});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().text.starts_with(name)) << refused.error().text;
  }
}

}  // namespace
}  // namespace gondwana::gasnet
