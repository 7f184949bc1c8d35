#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/gasnet_variables.hpp"
#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/options.hpp"
#include "core/parse.hpp"
#include "info/sections.hpp"

namespace gondwana::info {
namespace {

const char* value_of(const char* name) {
  return std::getenv(name);
}

Variable variable_of(const OptionRow& row) {
  auto [origin, value] = setting_of(row, value_of);
  return {std::string(row.name),
          std::move(value),
          origin.empty() ? "default" : std::string(origin),
          std::string(row.help),
          {row.aliases.begin(), row.aliases.end()}};
}

// Empty is as good as not set.
Variable variable_of(const gasnet::SettingVariable& variable) {
  const char* text = value_of(variable.name);
  const bool is_set = text != nullptr && *text != '\0';
  return {variable.name,
          is_set ? text : variable.otherwise,
          is_set ? variable.name : "default",
          variable.help,
          {}};
}

template <typename Visitor>
void for_each_of_gasnet(Visitor visit) {
  for (const gasnet::SettingVariable& variable : gasnet::job_settings) visit(variable);
  for (const gasnet::SettingVariable& variable : gasnet::other_settings) visit(variable);
}

// The names of the standard that begin with `prefix`, without it: else all would be alike.
std::vector<std::string_view> names_behind(std::string_view prefix) {
  std::vector<std::string_view> known;
  const auto add = [&](std::string_view name) {
    if (name.starts_with(prefix)) known.push_back(name.substr(prefix.size()));
  };
  for (const std::string_view name : {"SHMEM_PROFILE", "SHMEM_PROFILE_FILE"}) add(name);
  for (const OptionRow& row : option_table())
    for (const std::string_view name : row.aliases) add(name);
  return known;
}

// A sentence if `name` looks like a variable of the standard and is none that is read.
std::string doubt_about(std::string_view name) {
  for (const std::string_view prefix : {"SHMEM_", "SMA_"}) {
    if (!name.starts_with(prefix)) continue;
    const std::vector<std::string_view> known = names_behind(prefix);
    const std::string_view own_part = name.substr(prefix.size());
    if (std::ranges::find(known, own_part) != known.end()) return {};
    const std::string_view likely = nearest(own_part, known);
    return likely.empty() ? fmt::format("{} is not read by Gondwana", name)
                          : fmt::format("{} is not read by Gondwana; did you mean {}{}?", name,
                                        prefix, likely);
  }
  return {};
}

// Clients of GASNet have many variables of their own that begin like its: only one that is nearly
// spelled like one of these is doubtful.
std::string doubt_about_gasnet(std::string_view name) {
  constexpr std::string_view prefix = "GASNET_";
  if (!name.starts_with(prefix)) return {};
  std::vector<std::string_view> known;
  for_each_of_gasnet([&](const gasnet::SettingVariable& variable) {
    known.push_back(std::string_view(variable.name).substr(prefix.size()));
  });
  const std::string_view own_part = name.substr(prefix.size());
  if (std::ranges::find(known, own_part) != known.end()) return {};
  const std::string_view likely = nearest(own_part, known);
  if (likely.empty()) return {};
  return fmt::format("{} is not read by Gondwana; did you mean {}{}?", name, prefix, likely);
}

// `gondwana run` without -n starts one rank for each processor.
std::string doubt_about_heap(const Options& options) {
  const std::uint32_t ranks = usable_processors();
  if (options.heap_overcommit || options.heap_size <= usable_memory() / ranks) return {};
  return fmt::format(
      "a heap of {} on each of {} ranks, one for each processor, exceeds the {} of this node; "
      "lower "
      "GONDWANA_HEAP_SIZE to {}M, or start fewer ranks",
      format_size(options.heap_size), ranks, format_size(usable_memory()),
      usable_memory() / ranks >> 20);
}

// The same ranks, as far as they say how large their heaps are.
std::string doubt_about_huge_pages(const Options& options) {
  const std::uint32_t ranks = usable_processors();
  const std::size_t left = available_huge_pages();
  if (!options.hugetlb || (left > 0 && options.heap_size <= left / ranks)) return {};
  constexpr std::string_view more =
      "; the administrator sets more of them aside by sysctl vm.nr_hugepages";
  if (left == 0)
    return fmt::format(
        "GONDWANA_HUGETLB: no huge pages of 2 MiB are left, so heaps lie on ordinary "
        "ones{}",
        more);
  return fmt::format(
      "GONDWANA_HUGETLB: heaps of {} on {} ranks, one for each processor, do not fit "
      "into the {} of huge pages that are left; the rest lies on ordinary ones{}",
      format_size(options.heap_size), ranks, format_size(left), more);
}

}  // namespace

void add_variables(Report& report) {
  for (const OptionRow& row : option_table()) report.variables.push_back(variable_of(row));
  for_each_of_gasnet([&](const gasnet::SettingVariable& variable) {
    report.variables.push_back(variable_of(variable));
  });
  const Result<Options> options = read_options(value_of);
  if (!options)
    report.problems.push_back(options.error().text);
  else
    for (const std::string& doubt : {doubt_about_heap(*options), doubt_about_huge_pages(*options)})
      if (!doubt.empty()) report.warnings.push_back(doubt);
  for (std::string& sentence : unknown_variables(environ))
    report.warnings.push_back(std::move(sentence));
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name =
        std::string_view(*entry).substr(0, std::string_view(*entry).find('='));
    for (const std::string& doubt : {doubt_about(name), doubt_about_gasnet(name)})
      if (!doubt.empty()) report.warnings.push_back(doubt);
  }
}

}  // namespace gondwana::info
