#include "commands/trace.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/arguments.hpp"
#include "base/complain.hpp"
#include "commands/request.hpp"
#include "core/printable.hpp"
#include "observe/hosts/job_view.hpp"
#include "report/trace/trace_file.hpp"

namespace gondwana::commands {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view help =
    "Usage: gondwana trace [options] [JOB]\n"
    "\n"
    "Writes what the ranks of a job did, and when, as a trace that https://ui.perfetto.dev shows. "
    "The\n"
    "job goes on meanwhile. A job that was started with gondwana run --trace, or with "
    "GONDWANA_TRACE=yes,\n"
    "keeps its last events; of any other job the waits are seen, for as long as it is watched. JOB "
    "is an\n"
    "id that gondwana ps shows, a program, or a process of the job. Where you have one job it may "
    "be left "
    "out.\n"
    "\n"
    "  -o FILE           the file: gondwana-JOB.pftrace unless given\n"
    "  --last SECONDS    leave out what ended earlier than that before the last event\n"
    "  --until-end       write when the job has ended, also by a crash; it may start in 10 s\n"
    "  --watch SECONDS   how long to watch a job that is not traced: 1 unless given\n"
    "  --hosts a,b       the hosts of the job, where they have other names than they tell each "
    "other\n"
    "  --here            only the nodes of the job on this host\n"
    "  --all             also jobs of other users, for root\n";

struct Choices {
  Request request;
  std::string file;
  milliseconds last{0};
  milliseconds watch{1000};
  bool until_end = false;
};

Result<void> take_seconds(const std::string& option, Words& rest, milliseconds& time) {
  const Result<milliseconds> seconds = parse_seconds(option, rest.next());
  if (!seconds) return seconds.error();
  time = *seconds;
  return {};
}

Result<void> take_file(Words& rest, std::string& file) {
  file = rest.next();
  if (!file.empty()) return {};
  return Error{Errc::invalid_argument, "-o: expected the name of a file"};
}

Result<Choices> parse(const std::vector<std::string>& words) {
  Choices choices;
  std::string job;
  const auto take = [&](const std::string& word, Words& rest) -> Result<void> {
    if (word == "-o") return take_file(rest, choices.file);
    if (word == "--last") return take_seconds(word, rest, choices.last);
    if (word == "--watch") return take_seconds(word, rest, choices.watch);
    if (word != "--until-end") return take_job("trace", word, job);
    choices.until_end = true;
    return {};
  };
  Result<Request> request = parse_request(words, take);
  if (!request) return request.error();
  if (request->json)
    return Error{Errc::invalid_argument, "--json: the trace is a file of Perfetto's format"};
  choices.request = *std::move(request);
  choices.request.choice.job = job;
  return choices;
}

// Set by SIGINT and SIGTERM; the events so far are written then.
volatile std::sig_atomic_t is_interrupted = 0;

bool goes_on() {
  return is_interrupted == 0;
}

// If the trace waits for the job's end, the job may not have started yet.
Result<hosts::JobView> find_job(const Choices& choices) {
  constexpr milliseconds between_looks{200};
  constexpr int most_looks = 50;
  Result<hosts::JobView> job = hosts::JobView::open(choices.request.choice);
  for (int look = 1; !job && choices.until_end && look < most_looks; ++look) {
    std::this_thread::sleep_for(between_looks);
    job = hosts::JobView::open(choices.request.choice);
  }
  return job;
}

void wait_for_end(hosts::JobView& job) {
  constexpr milliseconds between_looks{100};
  using Process = jobs::RankSeen::Process;
  const auto is_there = [](const jobs::RankSeen& rank) {
    return rank.process == Process::alive || rank.process == Process::stopped;
  };
  for (const auto stop : {SIGINT, SIGTERM}) std::signal(stop, [](int) { is_interrupted = 1; });
  while (goes_on() && std::ranges::any_of(job.watch(between_looks, &goes_on).seen, is_there))
    continue;
}

// A trace file instead of a job.
bool is_written_file(const std::string& name) {
  return std::filesystem::is_regular_file(name) && ::access(name.c_str(), X_OK) != 0;
}

int complain(const Error& error) {
  gondwana::complain("trace", error.text);
  return 1;
}

}  // namespace

int run_trace(const std::vector<std::string>& words) {
  const Result<Choices> choices = parse(words);
  if (!choices) return complain(choices.error());
  if (choices->request.help) {
    fmt::print("{}", help);
    return 0;
  }
  Result<hosts::JobView> job = find_job(*choices);
  if (const std::string& name = choices->request.choice.job; !job && is_written_file(name))
    return complain({Errc::invalid_argument,
                     fmt::format("{} is a file and not a job; https://ui.perfetto.dev shows "
                                 "traces that are written",
                                 name)});
  if (!job) return complain(job.error());
  if (choices->until_end) wait_for_end(*job);
  const Result<std::string> written =
      trace::write_trace(job->trace(choices->watch, &goes_on), choices->file, choices->last);
  if (!written) return complain(written.error());
  for (const std::string& complaint : job->complaints())
    gondwana::complain("trace", complaint + "; its nodes are not in the trace");
  fmt::print("{}\n", printable(*written));
  return 0;
}

}  // namespace gondwana::commands
