#include "commands/why.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/arguments.hpp"
#include "base/complain.hpp"
#include "base/wrap.hpp"
#include "commands/request.hpp"
#include "observe/hosts/job_view.hpp"
#include "report/why/report.hpp"

namespace gondwana::commands {
namespace {

constexpr std::string_view help =
    "Usage: gondwana why [options] [JOB]\n"
    "\n"
    "Watches a job for a moment and says why it does not go on: the first line names the ranks\n"
    "that keep the others waiting. JOB is an id that gondwana ps shows, a program, or a process "
    "of\n"
    "the job. Where you have one job it may be left out. The job goes on meanwhile. Nodes on "
    "other\n"
    "hosts are looked at over ssh, as gondwana run starts ranks there.\n"
    "\n"
    "  --hosts a,b       the hosts of the job, where they have other names than they tell each "
    "other\n"
    "  --here            only the nodes of the job on this host\n"
    "  --all             also jobs of other users, for root\n"
    "  --watch SECONDS   how long to watch: 1 unless given\n"
    "  --stacks          whole stacks of those ranks, not only the line of the program\n"
    "  --json            the same for programs\n";

struct Choices {
  Request request;
  bool stacks = false;
  std::chrono::milliseconds watch{1000};
};

Result<Choices> parse(const std::vector<std::string>& words) {
  Choices choices;
  std::string job;
  const auto take = [&](const std::string& word, Words& rest) -> Result<void> {
    if (word == "--stacks") {
      choices.stacks = true;
    } else if (word == "--watch") {
      const Result<std::chrono::milliseconds> time = parse_seconds("--watch", rest.next());
      if (!time) return time.error();
      choices.watch = *time;
    } else {
      return take_job("why", word, job);
    }
    return {};
  };
  Result<Request> request = parse_request(words, take);
  if (!request) return request.error();
  choices.request = *std::move(request);
  choices.request.choice.job = job;
  return choices;
}

int complain(const Error& error) {
  gondwana::complain("why", error.text);
  return 1;
}

}  // namespace

int run_why(const std::vector<std::string>& words) {
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->request.help) {
    fmt::print("{}", help);
    return 0;
  }
  Result<hosts::JobView> view = hosts::JobView::open(choices->request.choice);
  if (!view) return complain(view.error());
  const why::Report report = why::examine(*view, choices->watch, [] { return true; });
  fmt::print("{}", choices->request.json ? why::to_json(report)
                                         : wrap_lines(why::to_text(report, choices->stacks),
                                                      terminal_width(STDOUT_FILENO)));
  return 0;
}

}  // namespace gondwana::commands
