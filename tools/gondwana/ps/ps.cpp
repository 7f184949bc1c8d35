#include "ps/ps.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "core/parse.hpp"
#include "jobs/found_jobs.hpp"
#include "jobs/watch.hpp"
#include "json_text.hpp"

namespace gondwana::ps {
namespace {

using jobs::FoundJob;
using jobs::JobSeen;
using jobs::RankSeen;

constexpr std::string_view help =
    "Usage: gondwana ps [--json]\n"
    "\n"
    "Lists your jobs on this machine, whatever launcher started them, the oldest first.\n"
    "\n"
    "  --json    the same for programs\n";

struct Row {
  std::string id;
  std::uint32_t ranks;
  std::uint32_t nodes;
  std::size_t nodes_here;
  std::uint64_t began_s;
  pid_t launcher;  // or the first rank, under launchers of others
  std::string state;
  std::string program;
};

// What most of its ranks do, worst first.
std::string state_of(const JobSeen& job) {
  std::size_t absent = 0;
  std::size_t stopped = 0;
  std::size_t waiting = 0;
  std::size_t left = 0;
  for (const RankSeen& rank : job.seen) {
    absent += rank.state == RankState::absent ? 1 : 0;
    stopped += rank.process == RankSeen::Process::stopped ? 1 : 0;
    waiting += rank.wait ? 1 : 0;
    left += rank.state == RankState::finalized ? 1 : 0;
  }
  if (stopped > 0)
    return stopped == job.seen.size() ? "stopped" : fmt::format("{} stopped", stopped);
  if (absent > 0) return "starting";
  if (left == job.seen.size()) return "ending";
  if (waiting == job.seen.size()) return "all wait";
  return waiting > 0 ? fmt::format("{} wait", waiting) : "running";
}

Row row_of(const FoundJob& job) {
  const NodeFacts& facts = job.facts();
  const JobSeen seen = jobs::watch(job, std::chrono::milliseconds(0));
  return {job.id(),         facts.job_ranks, facts.nodes,
          job.nodes.size(), facts.began_s,   job.nodes.front().holder(),
          state_of(seen),   seen.program};
}

// "0:12:31", "2-03:00:00" as ps(1) has it for days.
std::string age(std::uint64_t began_s) {
  const auto now_s = static_cast<std::uint64_t>(::time(nullptr));
  const std::uint64_t s = now_s > began_s ? now_s - began_s : 0;
  const std::uint64_t days = s / 86400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "", s / 3600 % 24,
                     s / 60 % 60, s % 60);
}

std::string to_text(const std::vector<Row>& rows) {
  std::string text = fmt::format("{:<9} {:>6} {:>6} {:>9} {:<10} {}\n", "JOB", "RANKS", "NODES",
                                 "TIME", "STATE", "PROGRAM");
  for (const Row& row : rows) {
    const std::string nodes = row.nodes_here == row.nodes
                                  ? fmt::format("{}", row.nodes)
                                  : fmt::format("{}/{}", row.nodes_here, row.nodes);
    text += fmt::format("{:<9} {:>6} {:>6} {:>9} {:<10} {}\n", row.id, row.ranks, nodes,
                        age(row.began_s), row.state, row.program);
  }
  return text;
}

std::string to_json(const std::vector<Row>& rows) {
  std::string items;
  for (const Row& row : rows)
    items += fmt::format(
        R"({}  {{"job": {}, "ranks": {}, "nodes": {}, "nodes_here": {}, "began": {}, "process": {}, )"
        R"("state": {}, "program": {}}})",
        items.empty() ? "" : ",\n", json_text(row.id), row.ranks, row.nodes, row.nodes_here,
        row.began_s, row.launcher, json_text(row.state), json_text(row.program));
  return items.empty() ? "[]\n" : fmt::format("[\n{}\n]\n", items);
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  bool json = false;
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") {
      fmt::print("{}", help);
      return 0;
    }
    if (word != "--json") {
      fmt::print(stderr, "gondwana ps: {} is no option; see gondwana ps --help\n", word);
      return 1;
    }
    json = true;
  }
  const jobs::FoundJobs found = jobs::find_jobs();
  std::vector<Row> rows;
  rows.reserve(found.jobs.size());
  for (const FoundJob& job : found.jobs) rows.push_back(row_of(job));
  if (json)
    fmt::print("{}", to_json(rows));
  else if (rows.empty())
    fmt::print("no job of yours runs on this machine\n");
  else
    fmt::print("{}", to_text(rows));
  std::fflush(stdout);
  for (const std::string& note : found.notes) fmt::print(stderr, "gondwana ps: {}\n", note);
  return 0;
}

}  // namespace gondwana::ps
