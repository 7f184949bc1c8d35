#include "run/command_line/sharing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gondwana::launch {
namespace {

Job job_of(const std::vector<std::uint32_t>& programs, const std::vector<std::uint32_t>& slots) {
  Job job;
  for (const std::uint32_t ranks : programs) {
    Program& program = job.programs.emplace_back();
    program.ranks = ranks;
    program.words = {std::string(1, static_cast<char>('a' + job.programs.size() - 1))};
  }
  for (const std::uint32_t slot : slots) job.hosts.push_back({"host", slot});
  return job;
}

TEST(sharing, ranks_fill_the_slots_in_blocks) {
  const std::vector<Job> parts = share_out(job_of({7}, {4, 2, 4}));
  ASSERT_EQ(parts.size(), 3U);
  for (std::uint32_t node = 0; node < 3; ++node) {
    EXPECT_EQ(parts[node].share.node, node);
    EXPECT_EQ(parts[node].share.nodes, 3U);
    EXPECT_EQ(parts[node].share.total, 7U);
  }
  EXPECT_EQ(parts[1].share.first, 4U);
  EXPECT_EQ(parts[2].share.first, 6U);
  EXPECT_EQ(parts[2].ranks(), 1U);
}

TEST(sharing, hosts_without_a_rank_are_no_nodes) {
  const std::vector<Job> parts = share_out(job_of({2}, {2, 5}));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].share.nodes, 1U);
}

TEST(sharing, programs_are_cut_where_hosts_begin) {
  const std::vector<Job> parts = share_out(job_of({1, 4, 2}, {3, 3, 3}));
  ASSERT_EQ(parts.size(), 3U);
  ASSERT_EQ(parts[0].programs.size(), 2U);
  EXPECT_EQ(parts[0].programs[1].words[0], "b");
  EXPECT_EQ(parts[0].programs[1].ranks, 2U);
  ASSERT_EQ(parts[1].programs.size(), 2U);
  EXPECT_EQ(parts[1].programs[0].ranks, 2U);
  EXPECT_EQ(parts[1].programs[1].ranks, 1U);
  ASSERT_EQ(parts[2].programs.size(), 1U);
  EXPECT_EQ(parts[2].programs[0].words[0], "c");
}

TEST(sharing, one_host_has_the_rank_that_reads) {
  Job job = job_of({4}, {2, 2});
  job.streams.reader = 2;
  const std::vector<Job> parts = share_out(job);
  EXPECT_FALSE(parts.at(0).streams.reader);
  EXPECT_EQ(parts.at(1).streams.reader, 2U);
}

}  // namespace
}  // namespace gondwana::launch
