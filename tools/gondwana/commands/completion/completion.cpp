#include "commands/completion/completion.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "base/own_files.hpp"
#include "base/quote.hpp"
#include "commands/completion/candidates.hpp"
#include "core/printable.hpp"
#include "observe/jobs/found_jobs.hpp"

namespace gondwana::completion {
namespace {

// Runs the command in its own process, whatever it is and however it writes its help.
std::string help_of(const std::string& command) {
  const std::string line =
      fmt::format("{} {} --help 2>/dev/null", quote(own_path().string()), command);
  std::string text;
  // NOLINTNEXTLINE(cert-env33-c): the words are our own path and a command that our help lists
  std::FILE* output = ::popen(line.c_str(), "r");
  if (output == nullptr) return text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), output))
    text.append(buffer.data(), count);
  ::pclose(output);
  return text;
}

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

int run_command(const std::vector<std::string>& words) {
  fmt::print("{}", to_text(complete(words, {.help = help_of, .jobs = jobs_here})));
  return 0;
}

}  // namespace gondwana::completion
