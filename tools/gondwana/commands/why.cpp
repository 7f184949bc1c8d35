#include "commands/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/complain.hpp"
#include "base/wrap.hpp"
#include "commands/request.hpp"
#include "observe/hosts/job_view.hpp"
#include "report/why/report.hpp"

namespace gondwana::commands {
namespace {

struct Choices {
  Request request;
  bool stacks = false;
  std::chrono::milliseconds watch{1000};
};

class WhyLine : public CommandLine {
 public:
  explicit WhyLine(Choices& choices)
      : CommandLine(
            "why", "[OPTIONS] [JOB]",
            "Watches a job for a moment and says why it does not go on: the first line names the "
            "ranks that keep the others waiting. JOB is an id that gondwana ps shows, a program, "
            "or a process of the job. Where you have one job it may be left out. The job goes on "
            "meanwhile. Nodes on other hosts are looked at over ssh, as gondwana run starts ranks "
            "there.") {
    add_one_job(*this, choices.request);
    add_seconds(*this, "--watch", choices.watch, "how long to watch: 1 unless given");
    flag("--stacks", choices.stacks,
         "whole stacks of those ranks, not only the line of the program");
    add_json(*this, choices.request);
  }
};

}  // namespace

OptionList options_of_why() {
  Choices choices;
  return WhyLine(choices).list();
}

int run_why(const std::vector<std::string>& words) {
  Choices choices;
  if (const std::optional<int> status = WhyLine(choices).read(words)) return *status;
  Result<hosts::JobView> view = hosts::JobView::open(choices.request.choice);
  if (!view) return complain("why", view.error().text);
  const why::Report report = why::examine(*view, choices.watch, [] { return true; });
  fmt::print("{}", choices.request.json ? why::to_json(report)
                                        : wrap_lines(why::to_text(report, choices.stacks),
                                                     terminal_width(STDOUT_FILENO)));
  return 0;
}

}  // namespace gondwana::commands
