#include "report/bench/job_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include "report/bench/output_of.hpp"

namespace gondwana::bench {
namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, as in the measuring programs

double ns_since_boot() {
  return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

// A figure printed by the program: its name, its value, and the control's value if there is one.
struct Figure {
  std::string name;
  double value = 0;
  double control = 0;
};

Result<std::vector<Figure>> read_figures(const std::string& text) {
  std::vector<Figure> figures;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Figure figure;
    std::istringstream words(line);
    if (!(words >> figure.name >> figure.value))
      return Error{
          Errc::malformed,
          fmt::format("the measuring program printed \"{}\", which is not a figure", line)};
    words >> figure.control;
    figures.push_back(figure);
  }
  return figures;
}

// Runs one job. Times become nanoseconds since its start; "end" is when the command ends.
Result<std::vector<Figure>> run(const Choices& choices, const std::vector<std::string>& job) {
  const double start = ns_since_boot();
  const Result<std::string> output = output_of(job);
  const double end = ns_since_boot();
  if (!output) return output.error();
  Result<std::vector<Figure>> figures = read_figures(*output);
  if (!figures || choices.subject.unit != Unit::milliseconds) return figures;
  for (Figure& figure : *figures) figure.value -= start;
  figures->push_back({"end", end - start, 0});
  return figures;
}

// Starts as many plain processes as ranks; measures from the first start to the last end.
Result<double> ns_of_processes(std::uint32_t count) {
  const double start = ns_since_boot();
  const Result<void> done = run_at_once({"true"}, count);
  if (!done) return done.error();
  return ns_since_boot() - start;
}

Series& find_series(std::vector<Series>& series, const std::string& name, std::uint32_t ranks) {
  const auto found = std::ranges::find_if(
      series, [&](const Series& one) { return one.operation == name && one.bytes == ranks; });
  if (found != series.end()) return *found;
  return series.emplace_back(Series{name, ranks, {}, {}, {}});
}

Result<void> add_ours(const Choices& choices, const JobCommand& own, std::uint32_t ranks,
                      std::vector<Series>& series) {
  Result<std::vector<Figure>> figures = run(choices, own(ranks));
  if (!figures) return figures.error();
  if (choices.subject.unit == Unit::milliseconds) {
    const Result<double> control = ns_of_processes(ranks);
    if (!control) return control.error();
    for (Figure& figure : *figures) figure.control = *control;
  }
  for (const Figure& figure : *figures) {
    Series& same = find_series(series, figure.name, ranks);
    same.ours.push_back(figure.value);
    same.control.push_back(figure.control);
  }
  return {};
}

Result<void> add_peer(const Choices& choices, std::size_t peer, const std::vector<std::string>& job,
                      std::uint32_t ranks, std::vector<Series>& series) {
  const Result<std::vector<Figure>> figures = run(choices, job);
  if (!figures) return figures.error();
  for (const Figure& figure : *figures)
    append_peer(find_series(series, figure.name, ranks), peer, {figure.value});
  return {};
}

// The growth in each round; empty if there is none in some round.
std::vector<double> growth(const std::vector<double>& few, const std::vector<double>& many,
                           std::uint64_t added) {
  std::vector<double> grown;
  for (std::size_t i = 0; i < std::min(few.size(), many.size()); ++i) {
    if (many[i] <= few[i]) return {};
    grown.push_back((many[i] - few[i]) / static_cast<double>(added));
  }
  return grown;
}

// Adds the memory that a rank needs for each other rank, if its memory grows.
void add_growth(const Choices& choices, std::vector<Series>& series) {
  constexpr std::uint32_t few = 2;
  if (choices.subject.unit != Unit::kibibytes || choices.ranks <= few) return;
  const Series before = find_series(series, "data", few);
  const Series after = find_series(series, "data", choices.ranks);
  const std::uint64_t added = choices.ranks - few;
  std::vector<double> grown = growth(before.ours, after.ours, added);
  if (grown.empty()) return;
  Series added_for_each{"per_peer", choices.ranks, std::move(grown), {}, {}};
  for (std::size_t peer = 0; peer < std::min(before.peers.size(), after.peers.size()); ++peer)
    append_peer(added_for_each, peer, growth(before.peers[peer], after.peers[peer], added));
  series.push_back(std::move(added_for_each));
}

}  // namespace

Result<void> add_round_of_jobs(const Choices& choices, const JobCommand& own,
                               const std::vector<JobCommand>& peers, std::vector<Series>& series) {
  for (const std::uint32_t ranks : choices.rank_counts()) {
    if (const Result<void> added = add_ours(choices, own, ranks, series); !added) return added;
    for (std::size_t peer = 0; peer < peers.size(); ++peer) {
      const Result<void> added = add_peer(choices, peer, peers[peer](ranks), ranks, series);
      if (!added) return added;
    }
  }
  return {};
}

void finish_jobs(const Choices& choices, std::vector<Series>& series) {
  add_growth(choices, series);
  group_operations(series);
}

}  // namespace gondwana::bench
