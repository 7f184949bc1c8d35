#include "why/why.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

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

Result<std::chrono::milliseconds> parse_time(const std::string& word) {
  constexpr double most_s = 3600;
  double seconds = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (failure == std::errc{} && end == word.data() + word.size() && seconds > 0 &&
      seconds <= most_s)
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  return Error{Errc::invalid_argument,
               fmt::format("--watch \"{}\": expected seconds, such as 1 or 0.5, up to 3600", word)};
}

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
          parse_time(i + 1 < words.size() ? words[++i] : "");
      if (!time) return time.error();
      choices.watch = *time;
    } else if (word.starts_with("-")) {
      return Error{Errc::invalid_argument,
                   fmt::format("{} is no option; see gondwana why --help", word)};
    } else if (!choices.job.empty()) {
      return Error{Errc::invalid_argument,
                   fmt::format("one job at a time, not {} and {}", choices.job, word)};
    } else {
      choices.job = word;
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
