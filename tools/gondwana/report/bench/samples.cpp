#include "report/bench/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

#include "core/printable.hpp"

namespace gondwana::bench {
namespace {

struct Line {
  std::string operation;
  std::uint64_t bytes = 0;
  double ours = 0;
  std::string control;
};

Result<void> add(const Line& line, std::vector<Series>& found) {
  if (found.empty() || found.back().operation != line.operation || found.back().bytes != line.bytes)
    found.push_back({line.operation, line.bytes, {}, {}, {}});
  found.back().ours.push_back(line.ours);
  if (line.control == "-") return {};
  double control = 0;
  if (!(std::istringstream(line.control) >> control))
    return Error{Errc::malformed, fmt::format("\"{}\" is not a time of a control", line.control)};
  found.back().control.push_back(control);
  return {};
}

Series& series_like(std::vector<Series>& series, const Series& other) {
  const auto is_same = [&](const Series& one) {
    return one.operation == other.operation && one.bytes == other.bytes;
  };
  const auto found = std::ranges::find_if(series, is_same);
  if (found != series.end()) return *found;
  return series.emplace_back(Series{other.operation, other.bytes, {}, {}, {}});
}

void append(std::vector<double>& values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

}  // namespace

Result<std::vector<Series>> read_samples(std::string_view text) {
  std::vector<Series> found;
  std::istringstream lines{std::string(text)};
  for (std::string words; std::getline(lines, words);) {
    Line line;
    std::istringstream parts(words);
    if (!(parts >> line.operation >> line.bytes >> line.ours >> line.control) ||
        line.operation != printable(line.operation))
      return Error{
          Errc::malformed,
          fmt::format("the measuring program printed \"{}\", which is not a sample", words)};
    if (const Result<void> added = add(line, found); !added) return added.error();
  }
  if (found.empty()) return Error{Errc::malformed, "the measuring program printed no sample"};
  return found;
}

void append(std::vector<Series>& series, const std::vector<Series>& more) {
  for (const Series& other : more) {
    Series& same = series_like(series, other);
    append(same.ours, other.ours);
    append(same.control, other.control);
  }
}

void append_peer(Series& series, std::size_t peer, const std::vector<double>& values) {
  if (series.peers.size() <= peer) series.peers.resize(peer + 1);
  append(series.peers[peer], values);
}

void append_peer(std::vector<Series>& series, std::size_t peer, const std::vector<Series>& theirs) {
  for (const Series& other : theirs) append_peer(series_like(series, other), peer, other.ours);
}

void group_operations(std::vector<Series>& series) {
  std::vector<std::string> names;
  for (const Series& one : series)
    if (std::ranges::find(names, one.operation) == names.end()) names.push_back(one.operation);
  std::ranges::stable_sort(series, {}, [&](const Series& one) {
    return std::ranges::find(names, one.operation) - names.begin();
  });
}

Quartiles quartiles_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

std::vector<double> ratios_of(const Series& series) {
  std::vector<double> ratios;
  ratios.reserve(series.control.size());
  for (std::size_t i = 0; i < series.control.size(); ++i)
    ratios.push_back(series.ours[i] / series.control[i]);
  return ratios;
}

}  // namespace gondwana::bench
