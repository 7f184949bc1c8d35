#include "run/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gondwana::launch {
namespace {

bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("_-+=./:,@%").find(letter) != std::string_view::npos;
}

std::string quote(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'')
      quoted += "'\\''";
    else
      quoted += letter;
  }
  return quoted + "'";
}

}  // namespace

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
