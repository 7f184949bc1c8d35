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

struct WhyChoices {
  Request request;
  bool stacks = false;
  std::chrono::milliseconds watch{1000};
};

class WhyLine : public CommandLine {
 public:
  explicit WhyLine(WhyChoices& choices)
      : CommandLine("why", "[OPTIONS] [JOB]",
                    "Watches a job for a moment and reports why it hangs: the first line names the "
                    "ranks that keep the others waiting. JOB is an id that gondwana ps shows, a "
                    "program, or a process of the job. It may be omitted if you have only one job. "
                    "The job continues meanwhile. Nodes on other hosts are examined over ssh, "
                    "which gondwana run also uses to start ranks there.") {
    add_one_job(*this, choices.request);
    add_seconds(*this, "--watch", choices.watch, "how long to watch (default: 1)");
    flag("--stacks", choices.stacks,
         "complete stacks of those ranks, not only the line of the program");
    add_json(*this, choices.request);
  }
};

}  // namespace

OptionList options_of_why() {
  WhyChoices choices;
  return WhyLine(choices).list();
}

int run_why(const std::vector<std::string>& words) {
  WhyChoices choices;
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
