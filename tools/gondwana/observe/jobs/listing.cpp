#include "observe/jobs/listing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include "core/host_name.hpp"
#include "core/printable.hpp"
#include "observe/jobs/watch.hpp"

namespace gondwana::jobs {
namespace {

RankCounts count(const JobSeen& job) {
  RankCounts counts;
  for (const RankSeen& rank : job.seen) {
    ++counts.seen;
    counts.starting += rank.state < RankState::running && !rank.is_dead ? 1 : 0;
    counts.stopped += rank.process == RankSeen::Process::stopped ? 1 : 0;
    counts.waiting += rank.wait ? 1 : 0;
    const bool is_gone = rank.process == RankSeen::Process::gone;
    counts.left += is_gone || rank.state == RankState::finalized ? 1 : 0;
    counts.dead += rank.is_dead ? 1 : 0;
    counts.departed += rank.has_left ? 1 : 0;
    counts.refused += rank.refused;
    counts.restarted += rank.restarts > 0 ? 1 : 0;
  }
  return counts;
}

// Returns the number if the user has no name.
std::string name_of_user(uid_t user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 1024> texts{};
  if (::getpwuid_r(user, &entry, texts.data(), texts.size(), &found) == 0 && found != nullptr)
    return found->pw_name;
  return fmt::to_string(user);
}

Row row_of(const FoundJob& job) {
  const NodeFacts& facts = job.facts();
  const JobSeen seen = watch(job, std::chrono::milliseconds(0));
  Row row{.id = job.id(),
          .ranks = facts.job_ranks,
          .nodes = job.nodes.back().nodes_in_use(),
          .began_s = facts.began_s,
          .holder = job.nodes.front().holder(),
          .program = seen.program,
          .user = name_of_user(job.nodes.front().user()),
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
  if (std::ranges::any_of(more.nodes_seen, is_known)) return;  // two names for one host
  row.nodes_seen.insert(row.nodes_seen.end(), more.nodes_seen.begin(), more.nodes_seen.end());
  row.hosts.insert(row.hosts.end(), more.hosts.begin(), more.hosts.end());
  if (row.program.empty()) row.program = more.program;
  row.counts.seen += more.counts.seen;
  row.counts.starting += more.counts.starting;
  row.counts.stopped += more.counts.stopped;
  row.counts.waiting += more.counts.waiting;
  row.counts.left += more.counts.left;
  row.counts.dead += more.counts.dead;
  row.counts.departed += more.counts.departed;
  row.counts.refused += more.counts.refused;
  row.counts.restarted += more.counts.restarted;
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
      rows.back().holder = 0;  // process numbers of another host have no meaning here
    }
  }
  std::ranges::stable_sort(rows, {}, &Row::began_s);
}

namespace {

// Formats "0:12:31", or "2-03:00:00" for days, as ps(1) does.
std::string age(std::uint64_t began_s) {
  const auto now_s = static_cast<std::uint64_t>(::time(nullptr));
  const std::uint64_t s = now_s > began_s ? now_s - began_s : 0;
  const std::uint64_t days = s / 86400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "", s / 3600 % 24,
                     s / 60 % 60, s % 60);
}

std::string nodes_of(const Row& row) {
  return row.nodes_seen.size() == row.nodes
             ? fmt::format("{}", row.nodes)
             : fmt::format("{}/{}", row.nodes_seen.size(), row.nodes);
}

// A column as wide as its widest entry.
class Column {
 public:
  Column(std::string_view title, const std::vector<Row>& rows, auto&& text_of) {
    texts_.emplace_back(title);
    for (const Row& row : rows) texts_.push_back(printable(text_of(row)));
    for (const std::string& text : texts_) widest_ = std::max(widest_, text.size());
  }
  // 0 returns the title.
  std::string line(std::size_t number) const {
    return fmt::format("{:<{}} ", texts_[number], widest_);
  }

 private:
  std::vector<std::string> texts_;
  std::size_t widest_ = 0;
};

}  // namespace

bool may_mean(const Row& row, std::string_view word) {
  return row.id.starts_with(word) || is_program(row.program, word);
}

std::string to_text(const std::vector<Row>& rows, ShownColumns shown) {
  const Column hosts("HOSTS", rows,
                     [](const Row& row) { return fmt::format("{}", fmt::join(row.hosts, ",")); });
  const Column users("USER", rows, [](const Row& row) { return row.user; });
  std::string text;
  for (std::size_t line = 0; line <= rows.size(); ++line) {
    const auto columns = [&](const auto&... values) {
      text += fmt::format("{:<9} {:>6} {:>6} {:>9} {:<10} ", values...);
    };
    const Row* row = line == 0 ? nullptr : &rows[line - 1];
    if (row == nullptr)
      columns("JOB", "RANKS", "NODES", "TIME", "STATE");
    else
      columns(printable(row->id), row->ranks, nodes_of(*row), age(row->began_s), state_of(*row));
    if (shown.users) text += users.line(line);
    if (shown.hosts) text += hosts.line(line);
    text += (row == nullptr ? "PROGRAM" : printable(row->program)) + "\n";
  }
  return text;
}

namespace {

std::string state_of_living(const RankCounts& counts) {
  const std::uint32_t living = counts.seen - counts.dead - counts.departed;
  if (counts.stopped > 0)
    return counts.stopped == living ? "stopped" : fmt::format("{} stopped", counts.stopped);
  if (counts.starting > 0) return "starting";
  if (counts.left == counts.seen) return "ending";
  if (counts.waiting == living) return "all wait";
  return counts.waiting > 0 ? fmt::format("{} wait", counts.waiting) : "running";
}

}  // namespace

std::string state_of(const Row& row) {
  std::string text = state_of_living(row.counts);
  if (row.counts.dead != 0) text += fmt::format(", {} dead", row.counts.dead);
  if (row.counts.departed != 0) text += fmt::format(", {} left", row.counts.departed);
  if (row.counts.refused != 0) text += fmt::format(", {} refused", row.counts.refused);
  if (row.counts.restarted != 0) text += fmt::format(", {} restarted", row.counts.restarted);
  return text;
}

}  // namespace gondwana::jobs
