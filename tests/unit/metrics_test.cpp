// The page of `gondwana top --serve`, without a job.
#include "report/top/metrics.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gondwana::top {
namespace {

jobs::JobSeen a_job() {
  jobs::JobSeen job;
  job.id = "0000abcd";
  job.program = "./a \"b\\\n";
  job.ranks = 2;
  job.nodes = 1;
  job.watched_s = 1;
  job.found = {{.node = 0, .first = 0, .ranks = 2, .host = "here", .processors = 4}};
  for (std::uint32_t number = 0; number < 2; ++number) {
    jobs::RankSeen& rank = job.seen.emplace_back();
    rank.rank = number;
    rank.pid = 77;
    rank.process = jobs::RankSeen::Process::alive;
    rank.state = RankState::running;
  }
  job.seen[1].wait = jobs::WaitSeen{.call = "shmem_barrier_all", .team = 0, .seconds = 2.5};
  job.seen[1].totals.at(static_cast<std::size_t>(Count::put_bytes)) = 1'000'000'000'000;
  return job;
}

bool has_line(const std::string& page, const std::string& line) {
  return ("\n" + page).find("\n" + line + "\n") != std::string::npos;
}

TEST(metrics, samples_name_the_rank_and_its_host) {
  const std::string page = to_metrics(a_job());
  EXPECT_TRUE(
      has_line(page, R"(gondwana_rank_bytes_total{job_id="0000abcd",node="0",host="here",rank="1",)"
                     R"(operation="put"} 1000000000000)"));
  EXPECT_TRUE(has_line(page, R"(gondwana_rank_wait_seconds{job_id="0000abcd",node="0",host="here",)"
                             R"(rank="1"} 2.5)"));
}

TEST(metrics, labels_are_escaped) {
  EXPECT_TRUE(has_line(to_metrics(a_job()),
                       R"(gondwana_job_ranks{job_id="0000abcd",program="./a \"b\\\n"} 2)"));
}

TEST(metrics, each_name_has_its_help_and_its_type_once_before_its_samples) {
  const std::string page = to_metrics(a_job());
  const std::string type = "# TYPE gondwana_rank_operations_total counter\n";
  const std::size_t at = page.find(type);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(page.find(type, at + 1), std::string::npos);
  EXPECT_LT(page.find("# HELP gondwana_rank_operations_total "), at);
  EXPECT_EQ(page.find("gondwana_rank_operations_total{"), at + type.size());
}

TEST(metrics, a_node_without_an_agent_has_no_samples_of_one) {
  jobs::JobSeen job = a_job();
  EXPECT_EQ(to_metrics(job).find("gondwana_agent_"), std::string::npos);
  job.found.front().agent = jobs::AgentSeen{.pid = 5, .waiting = 3};
  EXPECT_TRUE(has_line(to_metrics(job),
                       R"(gondwana_agent_waiting{job_id="0000abcd",node="0",host="here"} 3)"));
}

}  // namespace
}  // namespace gondwana::top
