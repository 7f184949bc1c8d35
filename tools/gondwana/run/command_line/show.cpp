#include "run/command_line/show.hpp"

#include <fmt/format.h>

#include "base/quote.hpp"
#include "run/command_line/sharing.hpp"

namespace gondwana::launch {
namespace {

// Shows one line for each program of a host; `where` is " on host a", or nothing.
std::string show_share(const Job& job, const std::string& where) {
  std::string text;
  std::uint32_t first = job.share.first;
  for (const Program& program : job.programs) {
    const std::uint32_t last = first + program.ranks - 1;
    text += first == last ? fmt::format("rank {}{}:", first, where)
                          : fmt::format("ranks {}-{}{}:", first, last, where);
    if (!program.folder.empty()) text += fmt::format(" cd {} &&", quote(program.folder));
    text += fmt::format(" GONDWANA_SIZE={}", job.share.total);
    for (const std::string& assignment : program.environment) text += " " + quote(assignment);
    for (const std::string& word : program.words) text += " " + quote(word);
    text += '\n';
    first = last + 1;
  }
  return text;
}

}  // namespace

std::string show(const Job& job) {
  if (job.hosts.empty()) return show_share(job, "");
  std::string text;
  for (const Job& part : share_out(job))
    text += show_share(part, fmt::format(" on host {}", job.hosts[part.share.node].name));
  return text;
}

}  // namespace gondwana::launch
