#include "report/why/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/machine.hpp"
#include "core/printable.hpp"
#include "memory/rank_report.hpp"
#include "observe/stacks/words.hpp"
#include "report/why/loops.hpp"
#include "report/why/place_text.hpp"
#include "report/why/polls.hpp"
#include "report/why/rank_text.hpp"
#include "report/why/wait_graph.hpp"
#include "report/why/writers.hpp"

namespace gondwana::why {

using jobs::JobSeen;
using jobs::RankSeen;

namespace {

// The running culprits, at most as many as a person will read.
std::vector<std::uint32_t> ranks_to_find(const JobSeen& job, const Diagnosis& diagnosis) {
  constexpr std::size_t most = 4;
  std::vector<std::uint32_t> ranks;
  for (const RankSeen& rank : job.seen) {
    const bool is_culprit =
        std::ranges::find(diagnosis.culprits, rank.rank) != diagnosis.culprits.end();
    const Activity what = activity_of(rank);
    if (!is_culprit || what == Activity::lost || rank.pid == 0 || what == Activity::left) continue;
    if (ranks.size() == most) break;
    ranks.push_back(rank.rank);
  }
  return ranks;
}

// Ranks that do the same.
struct Group {
  std::vector<std::uint32_t> ranks;
  double longest = 0;
  double computed = 0;
  std::string value;    // empty unless it is the same for all
  std::string awaited;  // empty unless it is the same for all
};

// Groups the ranks by their activity.
std::map<std::string, Group> groups_of(const JobSeen& job) {
  std::map<std::string, Group> groups;
  for (const RankSeen& rank : job.seen) {
    Group& group = groups[describe(rank)];
    const std::string value = rank.wait ? stacks::format_value(*rank.wait) : "";
    const std::string awaited = rank.wait ? stacks::format_awaited(*rank.wait) : "";
    group.value = group.ranks.empty() || group.value == value ? value : "";
    group.awaited = group.ranks.empty() || group.awaited == awaited ? awaited : "";
    group.ranks.push_back(rank.rank);
    group.computed += rank.computed;
    if (rank.wait) group.longest = std::max(group.longest, rank.wait->seconds);
  }
  return groups;
}

// The table has one line for each group.
std::string table(const JobSeen& job) {
  const std::map<std::string, Group> groups = groups_of(job);
  std::size_t widest = 0;
  for (const auto& [what, group] : groups)
    widest = std::max(widest, format_ranks(group.ranks).size());
  std::string text = fmt::format("  {:<{}}  {:>9}  {:>9}  {}\n", "RANKS",
                                 std::max<std::size_t>(widest, 5), "SINCE", "PROCESSOR", "EACH");
  for (const auto& [what, group] : groups)
    text += fmt::format("  {:<{}}  {:>9}  {:>7.0f} %  {}\n", format_ranks(group.ranks),
                        std::max<std::size_t>(widest, 5),
                        group.longest > 0 ? format_seconds(group.longest) : "",
                        100 * group.computed / static_cast<double>(group.ranks.size()),
                        printable(what) + (group.value.empty() ? "" : ", which " + group.value) +
                            (group.awaited.empty() ? "" : ", until " + group.awaited));
  return text;
}

}  // namespace

std::string to_text(const Report& report, bool stacks) {
  const auto& [job, diagnosis, places, writers] = report;
  std::string text;
  for (const std::string& sentence : diagnosis.sentences) text += printable(sentence) + "\n";
  for (const stacks::Place& place : places) {
    text += to_text(place, stacks);
    const auto rank = std::ranges::find(job.seen, place.rank, &RankSeen::rank);
    if (rank != job.seen.end() && !rank->loop.empty())
      text += fmt::format("    {}\n", printable(describe_loop(*rank)));
  }
  for (const std::string& writer : writers) text += fmt::format("  {}\n", printable(writer));
  const std::string program = job.program.empty() ? "" : " of " + printable(job.program);
  return text + fmt::format("job {}, {} ranks{}\n", printable(job.id), job.ranks, program) +
         table(job);
}

Report examine(hosts::JobView& view, std::chrono::milliseconds time,
               FunctionRef<bool()> continues) {
  JobSeen seen = view.watch(time, continues, hosts::WordNames::yes);
  Diagnosis diagnosis = diagnose(seen, Stacks::seen);
  std::vector<stacks::Place> places;
  if (const auto ranks = ranks_to_find(seen, diagnosis); !ranks.empty())
    places = view.find_places(ranks, continues);
  if (find_polls(view, seen, places, continues)) diagnosis = diagnose(seen, Stacks::seen);
  std::vector<std::string> writers = find_writers(view, seen, diagnosis.culprits, continues);
  return {std::move(seen), std::move(diagnosis), std::move(places), std::move(writers)};
}

std::optional<std::string> examine_job(const std::string& job, const std::vector<link::Host>& hosts,
                                       std::uint64_t max_wait_ns,
                                       FunctionRef<bool()> is_interrupted) {
  constexpr std::chrono::milliseconds time{300};
  const std::uint64_t start_ns = monotonic_ns();
  bool is_left = false;
  const auto continues = [&] {
    is_left = is_left || is_interrupted();
    return !is_left && monotonic_ns() - start_ns < max_wait_ns;
  };
  Result<hosts::JobView> view =
      hosts::JobView::open({.job = job, .hosts = hosts, .only_here = hosts.empty()});
  if (!view) return "";
  std::string text = to_text(examine(*view, time, continues), false);
  if (is_left) return std::nullopt;
  text.pop_back();
  return text;
}

}  // namespace gondwana::why
