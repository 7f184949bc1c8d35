// Jobs as `gondwana ps` lists them, each a row, seen from one host or from several.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "observe/jobs/found_jobs.hpp"

namespace gondwana::jobs {

// What the ranks do that were looked at.
struct RankCounts {
  std::uint32_t seen = 0;
  std::uint32_t absent = 0;
  std::uint32_t stopped = 0;
  std::uint32_t waiting = 0;
  std::uint32_t left = 0;  // well or not
};

struct Row {
  std::string id;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::uint64_t began_s = 0;
  pid_t holder = 0;  // on this host: the guardian, or a rank under launchers of others
  std::string program;
  std::string user = {};  // whose job it is
  std::vector<std::uint32_t> nodes_seen;
  std::vector<std::string> hosts;  // where they are
  RankCounts counts;
};

// The oldest first.
std::vector<Row> rows_of(const FoundJobs& found);

// Adds what another host has seen.
void merge(std::vector<Row>& rows, const std::vector<Row>& more);

// Whether `word` may mean the job: the beginning of its id, or its program. Empty: any job.
bool may_mean(const Row& row, std::string_view word);

// As lines, with their titles.
struct ShownColumns {
  bool hosts = false;
  bool users = false;
};
std::string to_text(const std::vector<Row>& rows, ShownColumns shown);

// What most of its ranks do, worst first: "all wait".
std::string state_of(const Row& row);

}  // namespace gondwana::jobs
