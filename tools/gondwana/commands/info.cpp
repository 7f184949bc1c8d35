#include "commands/commands.hpp"

#include <fmt/format.h>

#include "core/print_error.hpp"
#include "report/info/json.hpp"
#include "report/info/sections.hpp"
#include "report/info/text.hpp"

namespace gondwana::commands {
namespace {

class InfoLine : public CommandLine {
 public:
  explicit InfoLine(bool& json)
      : CommandLine("info", "[--json]",
                    "Reports this installation, the resources of this machine, and the environment "
                    "variables in effect. The exit status is 1 if there is a problem; a message "
                    "then names the remedy.") {
    flag("--json", json, "the same for programs");
  }
};

info::Report gather() {
  info::Report report;
  report.version = GONDWANA_VERSION;
  // Limits are read before the test of shared memory, which raises the limit of open files.
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

OptionList options_of_info() {
  bool json = false;
  return InfoLine(json).list();
}

int run_info(const std::vector<std::string>& words) {
  bool json = false;
  if (const std::optional<int> status = InfoLine(json).read(words)) return *status;
  const info::Report report = gather();
  if (json)
    fmt::print("{}", info::to_json(report));
  else
    write_text(report);
  return report.problems.empty() ? 0 : 1;
}

}  // namespace gondwana::commands
