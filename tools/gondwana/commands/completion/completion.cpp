#include "commands/completion/completion.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "commands/completion/candidates.hpp"
#include "core/printable.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::completion {
namespace {

std::vector<Candidate> jobs_here() {
  std::vector<Candidate> candidates;
  for (const jobs::FoundJob& job : jobs::find_jobs().jobs)
    candidates.push_back({job.id(), printable(job.program())});
  return candidates;
}

std::string to_text(const Answer& answer) {
  constexpr std::array<std::string_view, 5> names{"nothing", "files", "folders", "programs",
                                                  "command"};
  std::string text;
  for (const Candidate& candidate : answer.candidates)
    text += fmt::format("{}\t{}\n", candidate.word, candidate.text);
  text += fmt::format("@{}", names.at(static_cast<std::size_t>(answer.from_shell)));
  if (answer.from_shell == FromShell::command) text += fmt::format(" {}", answer.command);
  return text + "\n";
}

}  // namespace

int run_command(const std::vector<std::string>& words, const OptionsOf& options) {
  fmt::print("{}", to_text(complete(words, {.options = options, .jobs = jobs_here})));
  return 0;
}

}  // namespace gondwana::completion
