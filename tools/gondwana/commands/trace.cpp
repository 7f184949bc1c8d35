#include "commands/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/complain.hpp"
#include "commands/request.hpp"
#include "core/printable.hpp"
#include "observe/hosts/job_view.hpp"
#include "report/trace/trace_file.hpp"

namespace gondwana::commands {
namespace {

using std::chrono::milliseconds;

struct TraceChoices {
  Request request;
  std::string file;
  milliseconds last{0};
  milliseconds watch{1000};
  bool until_end = false;
};

class TraceLine : public CommandLine {
 public:
  explicit TraceLine(TraceChoices& choices)
      : CommandLine(
            "trace", "[OPTIONS] [JOB]",
            "Writes the operations of a job's ranks, with their times, as a trace for "
            "https://ui.perfetto.dev. The job continues meanwhile. A job started with gondwana run "
            "--trace, or with GONDWANA_TRACE=yes, keeps its last events; for any other job only "
            "the waits are "
            "recorded while it is watched. JOB is an id that gondwana ps shows, a program, or a "
            "process of the job. It may be omitted if you have only one job.") {
    option("-o", "FILE", choices.file, "the file (default: gondwana-JOB.pftrace)");
    add_seconds(*this, "--last", choices.last,
                "omit events that ended earlier than that before the last event");
    flag("--until-end", choices.until_end,
         "write when the job has ended or crashed; it may start in 10 s");
    add_seconds(*this, "--watch", choices.watch,
                "how long to watch a job that is not traced (default: 1)");
    add_one_job(*this, choices.request);
  }
};

// Set by SIGINT and SIGTERM; the events so far are written then.
volatile std::sig_atomic_t is_interrupted = 0;

bool continues() {
  return is_interrupted == 0;
}

// If the trace waits for the job's end, the job may not have started yet.
Result<hosts::JobView> find_job(const TraceChoices& choices) {
  constexpr milliseconds check_interval{200};
  constexpr int max_samples = 50;
  Result<hosts::JobView> job = hosts::JobView::open(choices.request.choice);
  for (int look = 1; !job && choices.until_end && look < max_samples; ++look) {
    std::this_thread::sleep_for(check_interval);
    job = hosts::JobView::open(choices.request.choice);
  }
  return job;
}

void wait_for_end(hosts::JobView& job) {
  constexpr milliseconds check_interval{100};
  using Process = jobs::RankSeen::Process;
  const auto is_there = [](const jobs::RankSeen& rank) {
    return rank.process == Process::alive || rank.process == Process::stopped;
  };
  for (const auto stop : {SIGINT, SIGTERM}) std::signal(stop, [](int) { is_interrupted = 1; });
  while (continues() && std::ranges::any_of(job.watch(check_interval, &continues).seen, is_there))
    continue;
}

// A trace file instead of a job.
bool is_written_file(const std::string& name) {
  return std::filesystem::is_regular_file(name) && ::access(name.c_str(), X_OK) != 0;
}

}  // namespace

OptionList options_of_trace() {
  TraceChoices choices;
  return TraceLine(choices).list();
}

int run_trace(const std::vector<std::string>& words) {
  TraceChoices choices;
  if (const std::optional<int> status = TraceLine(choices).read(words)) return *status;
  Result<hosts::JobView> job = find_job(choices);
  if (const std::string& name = choices.request.choice.job; !job && is_written_file(name))
    return complain(
        "trace", fmt::format("{} is a file, not a job; open it at https://ui.perfetto.dev", name));
  if (!job) return complain("trace", job.error().text);
  if (choices.until_end) wait_for_end(*job);
  const Result<std::string> written =
      trace::write_trace(job->trace(choices.watch, &continues), choices.file, choices.last);
  if (!written) return complain("trace", written.error().text);
  for (const std::string& error_text : job->complaints())
    complain("trace", error_text + "; its nodes are not in the trace");
  fmt::print("{}\n", printable(*written));
  return 0;
}

}  // namespace gondwana::commands
