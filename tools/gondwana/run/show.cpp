#include "run/show.hpp"

#include <fmt/format.h>

#include "run/quote.hpp"

namespace gondwana::launch {

std::string show(const Job& job) {
  std::string text;
  std::uint32_t first = 0;
  for (const Program& program : job.programs) {
    const std::uint32_t last = first + program.ranks - 1;
    text +=
        first == last ? fmt::format("rank {}:", first) : fmt::format("ranks {}-{}:", first, last);
    if (!program.folder.empty()) text += fmt::format(" cd {} &&", quote(program.folder));
    text += fmt::format(" GONDWANA_SIZE={}", job.ranks());
    for (const std::string& assignment : program.environment) text += " " + quote(assignment);
    for (const std::string& word : program.words) text += " " + quote(word);
    text += '\n';
    first = last + 1;
  }
  return text;
}

}  // namespace gondwana::launch
