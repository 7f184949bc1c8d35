#include "process/greeting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gondwana {
namespace {

std::string describe_row(const Variable& row, const Environment& environment) {
  const Setting setting = setting_of(row, environment);
  std::string text = fmt::format("{} = \"{}\" ({}{})\n    {}\n", row.name, setting.value,
                                 setting.is_default() ? "" : "from ", setting.origin(), row.help);
  if (!row.aliases.empty()) text += fmt::format("    also: {}\n", fmt::join(row.aliases, ", "));
  return text;
}

}  // namespace

std::string greeting(std::string_view door, const Options& options,
                     const Environment& environment) {
  std::string text;
  if (options.version || options.info) text += fmt::format("{}\n", door);
  if (!options.info) return text;
  text += "Environment variables. If several names are set, the first one is used:\n";
  for (const Variable& row : variables())
    if (row.reader != Reader::gasnet) text += describe_row(row, environment);
  return text;
}

}  // namespace gondwana
