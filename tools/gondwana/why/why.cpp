#include "why/why.hpp"

#include <fmt/format.h>

#include <chrono>

#include "jobs/arguments.hpp"
#include "jobs/found_jobs.hpp"
#include "why/report.hpp"

namespace gondwana::why {
namespace {

constexpr std::string_view help =
    "Usage: gondwana why [options] [JOB]\n"
    "\n"
    "Watches a job for a moment and says why it does not go on: the first line names the ranks\n"
    "that keep the others waiting. JOB is an id that gondwana ps shows, or a process of the job.\n"
    "Where you have one job it may be left out. The job goes on meanwhile.\n"
    "\n"
    "  --watch SECONDS   how long to watch: 1 unless given\n"
    "  --stacks          whole stacks of those ranks, not only the line of the program\n"
    "  --json            the same for programs\n";

struct Choices {
  bool help = false;
  bool json = false;
  bool stacks = false;
  std::chrono::milliseconds watch{1000};
  std::string job;
};

Result<Choices> parse(const std::vector<std::string>& words) {
  Choices choices;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      choices.help = true;
    } else if (word == "--json") {
      choices.json = true;
    } else if (word == "--stacks") {
      choices.stacks = true;
    } else if (word == "--watch") {
      const Result<std::chrono::milliseconds> time =
          jobs::parse_seconds("--watch", i + 1 < words.size() ? words[++i] : "");
      if (!time) return time.error();
      choices.watch = *time;
    } else if (const Result<void> taken = jobs::take_job("why", word, choices.job); !taken) {
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
  const Result<jobs::FoundJob> job = jobs::choose_job(jobs::find_jobs(), choices->job);
  if (!job) return complain(job.error());
  const Report report = examine(*job, choices->watch);
  fmt::print("{}", choices->json ? to_json(report) : to_text(report, choices->stacks));
  return 0;
}

}  // namespace gondwana::why
