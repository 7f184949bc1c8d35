#include "info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "core/machine.hpp"
#include "core/mapping.hpp"
#include "core/options.hpp"
#include "sync/atomics.hpp"

namespace gondwana {
namespace {

void print_machine() {
  const bool memfd = static_cast<bool>(create_memfd("gondwana-info", page_size()));
  fmt::print("machine\n");
  fmt::print("  processors  {}\n", usable_processors());
  fmt::print("  memory      {}\n", format_size(usable_memory()));
  fmt::print("  memfd       {}\n",
             memfd ? "yes" : "no: ranks cannot share memory, nothing will run");
  fmt::print("  membarrier  {}\n", register_for_heavy_fence()
                                       ? "yes"
                                       : "no: sleeping ranks look again every millisecond");
}

// The value that counts now, and where it comes from.
std::string value_now(const OptionRow& row) {
  const auto [variable, value] =
      setting_of(row, [](const char* name) -> const char* { return std::getenv(name); });
  if (variable.empty()) return fmt::format("{} (default)", value);
  return variable == row.name ? value : fmt::format("{} (from {})", value, variable);
}

void print_variables() {
  fmt::print("environment variables\n");
  for (const OptionRow& row : option_table()) {
    fmt::print("  {} = {}\n      {}\n", row.name, value_now(row), row.help);
    if (!row.aliases.empty()) fmt::print("      also: {}\n", fmt::join(row.aliases, ", "));
  }
}

// Returns whether all variables could be understood.
bool print_complaints() {
  const Result<Options> options = read_options([](const char* name) { return std::getenv(name); });
  if (!options) fmt::print(stderr, "gondwana info: {}\n", options.error().text);
  for (const std::string& sentence : unknown_variables(environ))
    fmt::print(stderr, "gondwana info: {}\n", sentence);
  return static_cast<bool>(options);
}

}  // namespace

int print_info() {
  fmt::print("gondwana {}\n", GONDWANA_VERSION);
  print_machine();
  print_variables();
  return print_complaints() ? 0 : 1;
}

}  // namespace gondwana
