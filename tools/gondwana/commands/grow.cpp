// `gondwana grow` and `gondwana shrink`: ask the guardian of a running job for more ranks, or for
// the end of some.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/complain.hpp"
#include "base/rank_ranges.hpp"
#include "bootstrap/protocol.hpp"
#include "commands/commands.hpp"
#include "core/parse.hpp"
#include "link/job_request.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::commands {
namespace {

class GrowLine : public CommandLine {
 public:
  GrowLine(std::string& job, link::GrowJob& grow)
      : CommandLine("grow", "-n N [--hosts LIST] JOB [-- PROGRAM ...]",
                    "Adds N ranks to a running job, which gondwana run has started on this host "
                    "with --max-ranks. JOB is an id that gondwana ps shows, a program, or a "
                    "process of the job. Without PROGRAM the ranks run the program of rank 0. "
                    "Those of a job on several hosts are spread over its hosts, or over those of "
                    "--hosts.") {
    option(
        "-n,--np", "N",
        [&grow](const std::string& word) -> Result<void> {
          const Result<std::uint64_t> number = parse_number(word, 1, protocol::max_ranks);
          if (!number) return Error{number.error().code, "-n " + number.error().text};
          grow.ranks = static_cast<std::uint32_t>(*number);
          return {};
        },
        "the number of ranks to add");
    option("--hosts", "LIST", grow.hosts,
           "hosts such as a,b or a:4,b:2, with the number of ranks on each");
    operands("JOB", [&job](const std::string& word) -> Result<void> {
      if (!job.empty())
        return Error{
            Errc::invalid_argument,
            fmt::format("one job at a time, not {} and {}; a program follows after --", job, word)};
      job = word;
      return {};
    });
  }
};

class ShrinkLine : public CommandLine {
 public:
  explicit ShrinkLine(std::vector<std::string>& operands_given)
      : CommandLine("shrink", "JOB RANKS",
                    "Ends ranks of a running job, which goes on without them. RANKS is 3, 0,2 or "
                    "4-7. Each of these ranks receives SIGTERM. It may handle the signal, finish "
                    "what it does and call shmemx_leave or exit; without a handler it ends at "
                    "once. The job must have been started by gondwana run on this host, with "
                    "--on-death=continue or --max-ranks.") {
    operands("JOB", [&operands_given](const std::string& word) -> Result<void> {
      operands_given.push_back(word);
      return {};
    });
  }
};

std::vector<std::uint32_t> numbers_in(const RankRanges& ranges) {
  std::set<std::uint32_t> numbers;
  for (const auto& [first, end] : ranges)
    for (std::uint32_t number = first; number < end; ++number) numbers.insert(number);
  return {numbers.begin(), numbers.end()};
}

Result<link::JobAnswer> ask(const std::string& word, link::JobRequest request) {
  jobs::FoundJobs found = jobs::find_jobs();
  const std::vector<std::string> ids = jobs::ids_meant(found, word);
  if (ids.empty()) return jobs::no_job(word, "on this machine", found.notes);
  if (ids.size() > 1)
    return Error{Errc::invalid_argument,
                 fmt::format("{} means {} jobs; see gondwana ps", word, ids.size())};
  const std::optional<jobs::FoundJob> job = jobs::take(std::move(found), ids.front());
  request.job = job->facts().job;
  return link::ask_guardian(job->nodes.front().holder(), request);
}

int tell(const char* command, const Result<link::JobAnswer>& answer) {
  if (!answer) return complain(command, answer.error().text);
  if (answer->is_refused) return complain(command, answer->text);
  fmt::print("{}\n", answer->text);
  return 0;
}

}  // namespace

OptionList options_of_grow() {
  std::string job;
  link::GrowJob grow;
  return GrowLine(job, grow).list();
}

int run_grow(const std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  link::GrowJob grow;
  std::string job;
  const std::span own(words.begin(), dashes);
  if (const std::optional<int> status = GrowLine(job, grow).read(own)) return *status;
  if (job.empty()) return complain("grow", "name the job; see gondwana ps");
  if (grow.ranks == 0) return complain("grow", "-n is missing: the number of ranks to add");
  if (dashes != words.end()) {
    grow.words.assign(dashes + 1, words.end());
    grow.folder = std::filesystem::current_path().string();
  }
  return tell("grow", ask(job, {.job = 0, .what = std::move(grow)}));
}

OptionList options_of_shrink() {
  std::vector<std::string> operands;
  return ShrinkLine(operands).list();
}

int run_shrink(const std::vector<std::string>& words) {
  std::vector<std::string> operands;
  if (const std::optional<int> status = ShrinkLine(operands).read(words)) return *status;
  if (operands.size() != 2) return complain("shrink", "expected a job and its ranks");
  const std::optional<RankRanges> ranks = parse_ranks(operands[1], protocol::max_ranks);
  if (!ranks)
    return complain("shrink",
                    fmt::format("ranks \"{}\": expected ranks such as 3, 0,2 or 4-7", operands[1]));
  return tell("shrink", ask(operands[0], {.job = 0, .what = link::ShrinkJob{numbers_in(*ranks)}}));
}

}  // namespace gondwana::commands
