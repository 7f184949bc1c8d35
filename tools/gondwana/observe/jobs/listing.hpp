// Jobs as `gondwana ps` lists them. Each is a row, seen from one or several hosts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "observe/jobs/found_jobs.hpp"

namespace gondwana::jobs {

// The states of the observed ranks.
struct RankCounts {
  std::uint32_t seen = 0;
  std::uint32_t starting = 0;  // not returned from the start of the library
  std::uint32_t stopped = 0;
  std::uint32_t waiting = 0;
  std::uint32_t left = 0;       // ended, successfully or not
  std::uint32_t dead = 0;       // the job continues without them
  std::uint32_t departed = 0;   // likewise, by shmemx_leave
  std::uint32_t restarted = 0;  // other processes have taken their places
  std::uint32_t refused = 0;    // connections to servers of unique ids
};

struct Row {
  std::string id;
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::uint64_t began_s = 0;
  pid_t holder = 0;  // on this host: the guardian, or a rank under another launcher
  std::string program;
  std::string user = {};  // the owner of the job
  std::vector<std::uint32_t> nodes_seen;
  std::vector<std::string> hosts;  // the hosts of the job
  RankCounts counts;
};

// Returns the oldest job first.
std::vector<Row> rows_of(const FoundJobs& found);

// Adds the rows that another host has reported.
void merge(std::vector<Row>& rows, const std::vector<Row>& more);

// Whether `word` may mean the job: the beginning of its id, or its program. An empty word means any
// job.
bool may_mean(const Row& row, std::string_view word);

// The lines of the table, with column titles.
struct ShownColumns {
  bool hosts = false;
  bool users = false;
};
std::string to_text(const std::vector<Row>& rows, ShownColumns shown);

// The state of most ranks of the job, worst state first: "all wait".
std::string state_of(const Row& row);

}  // namespace gondwana::jobs
