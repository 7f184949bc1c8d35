#include <fmt/format.h>
#include <unistd.h>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/options.hpp"
#include "core/variables.hpp"
#include "report/info/sections.hpp"

namespace gondwana::info {
namespace {

// Describes a row of the table, under its own name or another.
Variable described(const gondwana::Variable& row, const char* name) {
  const Setting setting = setting_of(row, own_environment());
  return {name,
          std::string(setting.value),
          std::string(setting.origin()),
          std::string(row.help),
          {row.aliases.begin(), row.aliases.end()}};
}

// `gondwana run` without -n starts one rank for each processor.
std::string heap_warning(const Options& options) {
  const std::uint32_t ranks = usable_processors();
  if (options.heap_overcommit || options.heap_size <= usable_memory() / ranks) return {};
  return fmt::format(
      "a heap of {} on each of {} ranks, one for each processor, exceeds the {} of this node; "
      "lower "
      "GONDWANA_HEAP_SIZE to {}M, or start fewer ranks",
      format_size(options.heap_size), ranks, format_size(usable_memory()),
      usable_memory() / ranks >> 20);
}

// Checks the heaps of these ranks, if their size is set.
std::string huge_page_warning(const Options& options) {
  const std::uint32_t ranks = usable_processors();
  const std::size_t left = available_huge_pages();
  if (!options.hugetlb || (left > 0 && options.heap_size <= left / ranks)) return {};
  constexpr std::string_view more =
      "; the administrator can reserve more with sysctl vm.nr_hugepages";
  if (left == 0)
    return fmt::format(
        "GONDWANA_HUGETLB: no huge pages of 2 MiB are left, so heaps use ordinary pages{}", more);
  return fmt::format(
      "GONDWANA_HUGETLB: heaps of {} on {} ranks, one for each processor, do not fit into the {} "
      "of free huge pages; the rest uses ordinary pages{}",
      format_size(options.heap_size), ranks, format_size(left), more);
}

}  // namespace

// Lists GASNet's names too, even if they are aliases of ours: GASNet users search for them.
void add_variables(Report& report) {
  for (const gondwana::Variable& row : gondwana::variables())
    report.variables.push_back(described(row, row.name));
  for (const gondwana::Variable& row : gondwana::variables())
    for (const char* alias : row.aliases)
      if (std::string_view(alias).starts_with("GASNET_"))
        report.variables.push_back(described(row, alias));
  const Result<Options> options = read_options(own_environment(), Reader::gasnet);
  if (!options)
    report.problems.push_back(options.error().text);
  else
    for (const std::string& doubt : {heap_warning(*options), huge_page_warning(*options)})
      if (!doubt.empty()) report.warnings.push_back(doubt);
  for (std::string& sentence : unknown_variables(environ))
    report.warnings.push_back(std::move(sentence));
}

}  // namespace gondwana::info
