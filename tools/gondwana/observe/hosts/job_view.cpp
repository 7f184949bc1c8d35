#include "observe/hosts/job_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/machine.hpp"
#include "core/parse.hpp"
#include "core/process_stat.hpp"
#include "link/host_list.hpp"
#include "link/way_to_host.hpp"
#include "observe/jobs/listing.hpp"
#include "observe/stacks/words.hpp"
#include "observe/trace/job_trace.hpp"

namespace gondwana::hosts {
namespace {

using jobs::FoundJob;
using jobs::FoundNode;
using jobs::JobSeen;
using std::chrono::milliseconds;

bool always() {
  return true;
}

// The Slurm allocation that the job runs in, or 0.
std::uint32_t slurm_job_of(const FoundJob& job) {
  const FoundNode& node = job.nodes.front();
  for (std::uint32_t local = 0; local < node.facts().ranks.size(); ++local) {
    const std::string id = variable_of(node.process(local), "SLURM_JOB_ID");
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (const Result<std::uint64_t> number = parse_number(id, 1, most); number)
      return static_cast<std::uint32_t>(*number);
  }
  return 0;
}

// The hosts of the other nodes of the job.
std::vector<link::Host> other_hosts(const FoundJob& job) {
  std::vector<link::Host> hosts;
  const std::uint32_t slurm_job = slurm_job_of(job);
  for (std::uint32_t node = 0; node < job.facts().nodes; ++node) {
    const std::string name = job.nodes.front().host_of(node);
    // The program can write this memory, so check that the name is safe for ssh.
    if (!link::check_host_name(name) || link::is_this_host(name)) continue;
    link::Host& host = hosts.emplace_back(link::Host{name});
    if (slurm_job == 0) continue;
    host.name = name.substr(0, name.find('.'));  // Slurm's names have no domain
    host.way = link::Way::srun;
    host.slurm_job = slurm_job;
  }
  return hosts;
}

void merge(JobSeen& job, JobSeen&& more) {
  if (job.found.empty()) {
    std::swap(job.complaints, more.complaints);
    job = std::move(more);
    return;
  }
  if (job.program.empty()) job.program = more.program;
  if (more.ranks != job.ranks || more.nodes != job.nodes) return;
  const auto are_the_same = [](const jobs::NodeSeen& one, const jobs::NodeSeen& other) {
    return one.node == other.node || one.node_ranks().meets(other.node_ranks());
  };
  for (const jobs::NodeSeen& node : more.found) {
    const auto is_known = [&](const jobs::NodeSeen& known) { return are_the_same(known, node); };
    if (std::ranges::any_of(job.found, is_known)) continue;
    job.found.push_back(node);
    for (const jobs::RankSeen& rank : more.seen)
      if (rank.node == node.node) job.seen.push_back(rank);
  }
  std::ranges::sort(job.found, {}, &jobs::NodeSeen::node);
  std::ranges::sort(job.seen, {}, &jobs::RankSeen::rank);
}

// The error if several jobs match: the user has to choose one.
Error ambiguous(const std::vector<jobs::Row>& rows, const Choice& choice) {
  std::string list = jobs::to_text(
      rows, {.hosts = !choice.hosts.empty(), .users = choice.whose == jobs::Whose::everybody});
  list.pop_back();
  return {Errc::invalid_argument,
          fmt::format("{} jobs match; choose one by its id:\n{}", rows.size(), list)};
}

}  // namespace

Result<JobView> JobView::open(const Choice& choice) {
  JobView view;
  if (const Result<void> found = view.find(choice); !found) return found.error();
  return view;
}

// The id of the only job that the choice may mean.
Result<std::string> JobView::find_id(const Choice& choice, const jobs::FoundJobs& found) {
  const std::vector<std::string> ids = jobs::ids_meant(found, choice.job);
  std::vector<std::string> notes = found.notes;
  const bool queries_others = !choice.hosts.empty() && !choice.only_here;
  if (queries_others) others_->start(choice.hosts);
  if (ids.size() == 1 && !choice.job.empty()) return ids.front();
  std::vector<jobs::Row> rows = jobs::rows_of(found);
  std::erase_if(rows,
                [&](const jobs::Row& row) { return std::ranges::find(ids, row.id) == ids.end(); });
  if (queries_others) {
    add_rows_elsewhere(choice, rows);
    notes.insert(notes.end(), others_->complaints().begin(), others_->complaints().end());
  }
  if (rows.empty())
    return jobs::no_job(choice.job, choice.hosts.empty() ? "on this machine" : "on these hosts",
                        notes);
  if (rows.size() > 1) return ambiguous(rows, choice);
  return rows.front().id;
}

Result<void> JobView::find(const Choice& choice) {
  jobs::FoundJobs found = jobs::find_jobs(choice.whose);
  Result<std::string> id = find_id(choice, found);
  if (!id) return id.error();
  id_ = *std::move(id);
  here_ = jobs::take(std::move(found), id_);
  if (here_) program_ = here_->program();
  const bool has_others = here_ && here_->nodes.size() < here_->facts().nodes;
  if (has_others && choice.hosts.empty() && !choice.only_here) others_->start(other_hosts(*here_));
  return {};
}

void JobView::add_rows_elsewhere(const Choice& choice, std::vector<jobs::Row>& rows) {
  const auto take = [&](const std::string& /*host*/, Message& answer) {
    auto* listed = std::get_if<Listed>(&answer);
    if (listed == nullptr) return;
    std::erase_if(listed->rows,
                  [&](const jobs::Row& row) { return !jobs::may_mean(row, choice.job); });
    jobs::merge(rows, listed->rows);
  };
  others_->ask(List{choice.whose == jobs::Whose::everybody}, milliseconds(0), [] {}, take, &always);
}

JobSeen JobView::watch(milliseconds time, FunctionRef<bool()> continues, WordNames names) {
  JobSeen job;
  const auto here = [&] {
    if (!here_) return;
    job = jobs::watch(*here_, time, continues);
    if (names == WordNames::yes) stacks::name_words(job);
  };
  const auto take = [&](const std::string& /*host*/, Message& answer) {
    auto* watched = std::get_if<Watched>(&answer);
    if (watched != nullptr && watched->job) merge(job, std::move(*watched->job));
  };
  const auto time_ms = static_cast<std::uint32_t>(time.count());
  others_->ask(Watch{id_, time_ms, names == WordNames::yes}, time, here, take, continues);
  if (job.program.empty())
    job.program = program_;
  else
    program_ = job.program;
  job.id = id_;
  job.complaints = others_->complaints();
  return job;
}

std::vector<stacks::Place> JobView::find_places(const std::vector<std::uint32_t>& ranks,
                                                FunctionRef<bool()> continues) {
  std::vector<stacks::Place> places;
  const auto here = [&] {
    if (here_) places = stacks::find_places(*here_, ranks);
  };
  const auto take = [&](const std::string& host, Message& answer) {
    auto* found = std::get_if<Places>(&answer);
    if (found == nullptr) return;
    for (stacks::Place& place : found->places) {
      place.host = host;
      const bool is_known =
          std::ranges::find(places, place.rank, &stacks::Place::rank) != places.end();
      if (!is_known) places.push_back(std::move(place));
    }
  };
  others_->ask(FindPlaces{id_, ranks}, milliseconds(0), here, take, continues);
  std::ranges::sort(places, {}, &stacks::Place::rank);
  return places;
}

std::map<std::string, link::ClockDifference> JobView::compare_clocks(
    FunctionRef<bool()> continues) {
  constexpr int exchanges = 16;
  std::map<std::string, link::ClockDifference> clocks;
  for (int i = 0; i < exchanges; ++i) {
    const auto asked = static_cast<std::int64_t>(monotonic_ns());
    const auto take = [&](const std::string& host, Message& answer) {
      const auto answered = static_cast<std::int64_t>(monotonic_ns());
      if (const auto* time = std::get_if<Time>(&answer))
        clocks[host].add(asked, time->ns, answered);
    };
    others_->ask(AskTime{}, milliseconds(0), [] {}, take, continues);
  }
  return clocks;
}

std::vector<trace::NodeTrace> JobView::trace(milliseconds time, FunctionRef<bool()> continues) {
  std::map<std::string, link::ClockDifference> clocks = compare_clocks(continues);
  std::vector<trace::NodeTrace> nodes;
  const auto here = [&] {
    if (!here_) return;
    nodes = trace::trace_job(*here_, time, continues);
    std::ranges::sort(nodes, {}, &trace::NodeTrace::node);
  };
  const auto take = [&](const std::string& host, Message& answer) {
    auto* traced = std::get_if<Traced>(&answer);
    if (traced == nullptr) return;
    for (trace::NodeTrace& node : traced->nodes)
      trace::add_node(nodes, std::move(node), clocks[host]);
  };
  const auto time_ms = static_cast<std::uint32_t>(time.count());
  others_->ask(Trace{id_, time_ms}, time, here, take, continues);
  return nodes;
}

}  // namespace gondwana::hosts
