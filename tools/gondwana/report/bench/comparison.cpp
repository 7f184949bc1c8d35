#include "report/bench/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/complain.hpp"
#include "core/print_error.hpp"
#include "core/printable.hpp"
#include "core/read_file.hpp"

namespace gondwana::bench {
namespace {

Error wrong(std::string text) {
  return {Errc::malformed, std::move(text)};
}

Result<std::vector<Recorded>> read_records(const std::string& name) {
  constexpr std::size_t longest = std::size_t{256} << 20;
  const Result<std::string> text = read_file(name, longest);
  if (text) return read_recorded(name, *text);
  return wrong(fmt::format("{}: the file cannot be read: {}", name, text.error().text));
}

Series series_of(const nlohmann::json& item) {
  const bool is_of_bytes = item.contains("ours_bytes");
  Series series;
  item.at("operation").get_to(series.operation);
  item.at(item.contains("ranks") ? "ranks" : "bytes").get_to(series.bytes);
  item.at(is_of_bytes ? "ours_bytes" : "ours_ns").get_to(series.ours);
  item.at(is_of_bytes ? "control_bytes" : "control_ns").get_to(series.control);
  return series;
}

Recorded subject_of(const nlohmann::json& item) {
  Recorded recorded;
  item.at("subject").get_to(recorded.subject);
  item.at("door").get_to(recorded.door);
  item.at("job").get_to(recorded.job);
  std::ranges::transform(item.at("series"), std::back_inserter(recorded.series), series_of);
  return recorded;
}

std::string title_of(const Recorded& recorded) {
  return printable(fmt::format("{}, {}, {}", recorded.subject, recorded.door, recorded.job));
}

std::string titles_of(const std::vector<Recorded>& all) {
  std::vector<std::string> titles;
  std::ranges::transform(all, std::back_inserter(titles), title_of);
  return fmt::format("{}", fmt::join(titles, " and "));
}

std::size_t series_in(const std::vector<Recorded>& all) {
  std::size_t number = 0;
  for (const Recorded& recorded : all) number += recorded.series.size();
  return number;
}

bool is_measured(const Series& series) {
  const auto is_time = [](double ns) { return ns > 0; };
  return !series.ours.empty() && std::ranges::all_of(series.ours, is_time) &&
         std::ranges::all_of(series.control, is_time) &&
         (series.control.empty() || series.control.size() == series.ours.size());
}

Change change_of(const Quartiles& before, const Quartiles& after) {
  if (after.lower > before.upper && after.median > before.median * (1 + min_change))
    return Change::slower;
  if (after.upper < before.lower && before.median > after.median * (1 + min_change))
    return Change::faster;
  return Change::none;
}

Compared compared(const Series& before, const Series& after) {
  Compared both{
      before.operation, before.bytes, !before.control.empty() && !after.control.empty(), {}, {},
      Change::none};
  both.before = quartiles_of(both.has_control ? ratios_of(before) : before.ours);
  both.after = quartiles_of(both.has_control ? ratios_of(after) : after.ours);
  both.change = change_of(both.before, both.after);
  return both;
}

std::string_view word_for(Change change) {
  switch (change) {
    case Change::none:
      return "same";
    case Change::faster:
      return "faster";
    case Change::slower:
      return "slower";
  }
  return "";
}

std::string to_text(const Quartiles& values) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", values.median, values.lower, values.upper);
}

// Differences between the subjects that both files contain.
struct Changes {
  std::string tables;
  std::size_t series = 0;
  bool is_slower = false;
};

Changes changes_of(const std::vector<Recorded>& before, const std::vector<Recorded>& after) {
  Changes all;
  for (const Recorded& one : before) {
    const auto other = std::ranges::find(after, title_of(one), title_of);
    if (other == after.end()) continue;
    const std::vector<Compared> rows = compare(one, *other);
    if (rows.empty()) continue;
    all.tables += all.tables.empty() ? "" : "\n";
    all.tables += fmt::format("# {}\n{}", title_of(one), to_table(rows));
    all.series += rows.size();
    all.is_slower |= std::ranges::count(rows, Change::slower, &Compared::change) > 0;
  }
  return all;
}

Result<int> compare_files(const std::vector<std::string>& files) {
  if (files.size() != 2) return wrong("expected two files written by --json: BEFORE AFTER");
  const Result<std::vector<Recorded>> before = read_records(files[0]);
  if (!before) return before.error();
  const Result<std::vector<Recorded>> after = read_records(files[1]);
  if (!after) return after.error();
  const Changes all = changes_of(*before, *after);
  if (all.series == 0)
    return wrong(fmt::format("the files have no operation of the same size in common: {}; {}",
                             titles_of(*before), titles_of(*after)));
  fmt::print("{}", all.tables);
  const std::size_t alone = series_in(*before) + series_in(*after) - 2 * all.series;
  if (alone > 0)
    print_error("gondwana bench compare: not compared, because only one file has them: {} series\n",
                alone);
  return all.is_slower ? 1 : 0;
}

}  // namespace

Result<std::vector<Recorded>> read_recorded(const std::string& name, std::string_view text) {
  std::vector<Recorded> all;
  try {
    const nlohmann::json whole = nlohmann::json::parse(text);
    if (whole.is_array())
      std::ranges::transform(whole, std::back_inserter(all), subject_of);
    else
      all.push_back(subject_of(whole));
  } catch (const nlohmann::json::exception&) {
    return wrong(fmt::format("{}: not a file written by gondwana bench --json", name));
  }
  for (const Recorded& recorded : all)
    if (!std::ranges::all_of(recorded.series, is_measured))
      return wrong(fmt::format("{}: a series has no times, or invalid ones", name));
  return all;
}

std::vector<Compared> compare(const Recorded& before, const Recorded& after) {
  std::vector<Compared> all;
  for (const Series& one : before.series) {
    const auto is_same = [&](const Series& other) {
      return one.operation == other.operation && one.bytes == other.bytes;
    };
    const auto found = std::ranges::find_if(after.series, is_same);
    if (found != after.series.end()) all.push_back(compared(one, *found));
  }
  return all;
}

std::string to_table(const std::vector<Compared>& compared) {
  std::string text = fmt::format("{:<14}{:>10}  {:<14}{:<28}{:<28}{}\n", "# Operation", "Size",
                                 "Figure", "Before", "After", "Change");
  for (const Compared& row : compared)
    text += fmt::format("{:<14}{:>10}  {:<14}{:<28}{:<28}{}\n", row.operation, row.bytes,
                        row.has_control ? "Ratio" : "Value", to_text(row.before),
                        to_text(row.after), word_for(row.change));
  return text;
}

int compare_command(const std::vector<std::string>& files) {
  const Result<int> status = compare_files(files);
  if (status) return *status;
  complain("bench compare", status.error().text);
  return 2;
}

}  // namespace gondwana::bench
