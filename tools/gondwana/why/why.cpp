#include "why/why.hpp"

#include <fmt/format.h>

#include <chrono>

#include "hosts/arguments.hpp"
#include "hosts/job_view.hpp"
#include "jobs/arguments.hpp"
#include "why/report.hpp"

namespace gondwana::why {
namespace {

constexpr std::string_view help =
    "Usage: gondwana why [options] [JOB]\n"
    "\n"
    "Watches a job for a moment and says why it does not go on: the first line names the ranks\n"
    "that keep the others waiting. JOB is an id that gondwana ps shows, or a process of the job.\n"
    "Where you have one job it may be left out. The job goes on meanwhile. Nodes on other hosts "
    "are\n"
    "looked at over ssh, as gondwana run starts ranks there.\n"
    "\n"
    "  --hosts a,b       the hosts of the job, where they have other names than they tell each "
    "other\n"
    "  --here            only the nodes of the job on this host\n"
    "  --watch SECONDS   how long to watch: 1 unless given\n"
    "  --stacks          whole stacks of those ranks, not only the line of the program\n"
    "  --json            the same for programs\n";

struct Choices {
  bool help = false;
  bool json = false;
  bool stacks = false;
  std::chrono::milliseconds watch{1000};
  hosts::Choice choice;
};

Result<Choices> parse(const std::vector<std::string>& words) {
  Choices choices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto next = [&] { return i + 1 < words.size() ? words[++i] : std::string(); };
    const Result<bool> is_of_hosts = hosts::take_option(word, next, choices.choice);
    if (!is_of_hosts) return is_of_hosts.error();
    if (*is_of_hosts) continue;
    if (word == "--help" || word == "-h") {
      choices.help = true;
    } else if (word == "--json") {
      choices.json = true;
    } else if (word == "--stacks") {
      choices.stacks = true;
    } else if (word == "--watch") {
      const Result<std::chrono::milliseconds> time = jobs::parse_seconds("--watch", next());
      if (!time) return time.error();
      choices.watch = *time;
    } else if (const Result<void> taken = jobs::take_job("why", word, choices.choice.job); !taken) {
      return taken.error();
    }
  }
  return choices;
}

int complain(const Error& error) {
  fmt::print(stderr, "gondwana why: {}\n", error.text);
  return 1;
}

}  // namespace

int run_command(const std::vector<std::string>& words) {
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->help) {
    fmt::print("{}", help);
    return 0;
  }
  Result<hosts::JobView> view = hosts::JobView::open(choices->choice);
  if (!view) return complain(view.error());
  const Report report = examine(*view, choices->watch, [] { return true; });
  fmt::print("{}", choices->json ? to_json(report) : to_text(report, choices->stacks));
  return 0;
}

}  // namespace gondwana::why
