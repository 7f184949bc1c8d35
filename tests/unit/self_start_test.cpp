#include "process/self_start.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gondwana {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::uint32_t> ranks(const Variables& variables) {
  return ranks_to_become([&](const char* name) -> const char* {
    const auto value = variables.find(name);
    return value == variables.end() ? nullptr : value->second.c_str();
  });
}

std::uint32_t ranks_with(Variables variables) {
  variables.emplace("GASNET_PSHM_NODES", "4");
  const Result<std::uint32_t> result = ranks(variables);
  return result ? *result : 0;
}

TEST(self_start, the_variable_says_how_many_ranks) {
  EXPECT_EQ(ranks_with({}), 4U);
  EXPECT_EQ(*ranks({}), 1U);
  EXPECT_EQ(*ranks({{"GASNET_PSHM_NODES", ""}}), 1U);
  EXPECT_EQ(*ranks({{"GASNET_PSHM_NODES", "1"}}), 1U);
}

TEST(self_start, a_value_that_is_no_number_of_ranks_is_refused_by_its_name) {
  for (const char* text : {"four", "0", "-1", "2 ", "4x", "99999999"}) {
    const Result<std::uint32_t> result = ranks({{"GASNET_PSHM_NODES", text}});
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().text.find("GASNET_PSHM_NODES \"" + std::string(text)),
              std::string::npos);
  }
}

TEST(self_start, a_rank_and_what_it_starts_are_no_new_job) {
  EXPECT_EQ(ranks_with({{"GONDWANA_JOIN_FD", "5"}}), 1U);
  EXPECT_EQ(ranks_with({{"GONDWANA_RANK", "0"}}), 1U);
  EXPECT_EQ(ranks_with({{"GONDWANA_JOINED", "pmix:job:0 "}}), 1U);
}

TEST(self_start, a_launcher_of_several_processes_counts_and_one_of_a_single_process_does_not) {
  EXPECT_EQ(ranks_with({{"SLURM_STEP_NUM_TASKS", "2"}}), 1U);
  EXPECT_EQ(ranks_with({{"SLURM_STEP_NUM_TASKS", "1"}}), 4U);
  EXPECT_EQ(ranks_with({{"OMPI_COMM_WORLD_SIZE", "2"}}), 1U);
  EXPECT_EQ(ranks_with({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}}), 1U);
  EXPECT_EQ(
      ranks_with({{"PMIX_NAMESPACE", "job"}, {"PMIX_RANK", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}}),
      4U);
}

TEST(self_start, a_wrong_value_does_no_harm_under_a_launcher) {
  EXPECT_EQ(*ranks({{"GASNET_PSHM_NODES", "four"}, {"GONDWANA_JOIN_FD", "5"}}), 1U);
}

}  // namespace
}  // namespace gondwana
