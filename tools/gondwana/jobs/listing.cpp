#include "jobs/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/host_name.hpp"
#include "jobs/watch.hpp"

namespace gondwana::jobs {
namespace {

RankCounts count(const JobSeen& job) {
  RankCounts counts;
  for (const RankSeen& rank : job.seen) {
    ++counts.seen;
    counts.absent += rank.state == RankState::absent ? 1 : 0;
    counts.stopped += rank.process == RankSeen::Process::stopped ? 1 : 0;
    counts.waiting += rank.wait ? 1 : 0;
    const bool is_gone = rank.process == RankSeen::Process::gone;
    counts.left += is_gone || rank.state == RankState::finalized ? 1 : 0;
  }
  return counts;
}

Row row_of(const FoundJob& job) {
  const NodeFacts& facts = job.facts();
  const JobSeen seen = watch(job, std::chrono::milliseconds(0));
  Row row{.id = job.id(),
          .ranks = facts.job_ranks,
          .nodes = facts.nodes,
          .began_s = facts.began_s,
          .holder = job.nodes.front().holder(),
          .program = seen.program,
          .nodes_seen = {},
          .hosts = {host_name().data()},
          .counts = count(seen)};
  for (const FoundNode& node : job.nodes) row.nodes_seen.push_back(node.facts().node);
  return row;
}

void merge(Row& row, const Row& more) {
  const auto is_known = [&](std::uint32_t node) {
    return std::ranges::find(row.nodes_seen, node) != row.nodes_seen.end();
  };
  if (std::ranges::any_of(more.nodes_seen, is_known)) return;  // two names of one host
  row.nodes_seen.insert(row.nodes_seen.end(), more.nodes_seen.begin(), more.nodes_seen.end());
  row.hosts.insert(row.hosts.end(), more.hosts.begin(), more.hosts.end());
  if (row.program.empty()) row.program = more.program;
  row.counts.seen += more.counts.seen;
  row.counts.absent += more.counts.absent;
  row.counts.stopped += more.counts.stopped;
  row.counts.waiting += more.counts.waiting;
  row.counts.left += more.counts.left;
}

}  // namespace

std::vector<Row> rows_of(const FoundJobs& found) {
  std::vector<Row> rows;
  rows.reserve(found.jobs.size());
  for (const FoundJob& job : found.jobs) rows.push_back(row_of(job));
  return rows;
}

void merge(std::vector<Row>& rows, const std::vector<Row>& more) {
  for (const Row& row : more) {
    const auto same = std::ranges::find(rows, row.id, &Row::id);
    if (same != rows.end()) {
      merge(*same, row);
    } else {
      rows.push_back(row);
      rows.back().holder = 0;  // a number of the other host
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::began_s);
}

std::string state_of(const Row& row) {
  const RankCounts& counts = row.counts;
  if (counts.stopped > 0)
    return counts.stopped == counts.seen ? "stopped" : fmt::format("{} stopped", counts.stopped);
  if (counts.absent > 0) return "starting";
  if (counts.left == counts.seen) return "ending";
  if (counts.waiting == counts.seen) return "all wait";
  return counts.waiting > 0 ? fmt::format("{} wait", counts.waiting) : "running";
}

}  // namespace gondwana::jobs
