#include "commands/info.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "core/parse.hpp"
#include "core/print_error.hpp"
#include "report/info/json.hpp"
#include "report/info/sections.hpp"
#include "report/info/text.hpp"

namespace gondwana::commands {
namespace {

constexpr std::string_view help =
    "Usage: gondwana info [--json]\n"
    "\n"
    "Says what this installation is, what this machine offers, and which environment variables\n"
    "count. The exit status is 1 if something is wrong; then a sentence says what to do.\n"
    "\n"
    "  --json    the same for programs\n";

int unknown_word(std::string_view word) {
  constexpr std::array<std::string_view, 2> known{"--json", "--help"};
  const std::string_view near = nearest(word, known);
  print_error("gondwana info: there is no option {}{}; see gondwana info --help\n", word,
              near.empty() ? "" : fmt::format("; did you mean {}?", near));
  return 1;
}

info::Report gather() {
  info::Report report;
  report.version = GONDWANA_VERSION;
  // Limits are read before shared memory is tried out, which raises the limit of open files.
  info::Section allowed = info::limits();
  report.sections = {
      info::doors(),   info::transports(report), info::devices(),    info::ways_to_start(report),
      info::machine(), info::topology(),         std::move(allowed), info::pages()};
  info::add_variables(report);
  return report;
}

void write_text(const info::Report& report) {
  fmt::print("{}", info::to_text(report));
  std::fflush(stdout);
  for (const std::string& sentence : report.problems) print_error("gondwana info: {}\n", sentence);
  for (const std::string& sentence : report.warnings)
    print_error("gondwana info: warning: {}\n", sentence);
}

}  // namespace

int run_info(const std::vector<std::string>& words) {
  bool json = false;
  for (const std::string& word : words) {
    if (word == "--help" || word == "-h") {
      fmt::print("{}", help);
      return 0;
    }
    if (word != "--json") return unknown_word(word);
    json = true;
  }
  const info::Report report = gather();
  if (json)
    fmt::print("{}", info::to_json(report));
  else
    write_text(report);
  return report.problems.empty() ? 0 : 1;
}

}  // namespace gondwana::commands
