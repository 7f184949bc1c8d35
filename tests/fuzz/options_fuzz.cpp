// The arguments of `gondwana run`: any words are options and a program, or give an error message.
// Each line of the input is a word.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "run/command_line/option_parser.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gondwana;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find('\n'));
    words.emplace_back(word.substr(0, word.find('\0')));  // as passed by exec
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  const Result<launch::Section> section = launch::parse_options(words);
  if (!section) {
    GONDWANA_ASSERT(!section.error().text.empty(), words.size());
    return 0;
  }
  // The program is the complete rest of the words.
  const std::vector<std::string>& program = section->program;
  GONDWANA_ASSERT(program.size() <= words.size(), program.size());
  GONDWANA_ASSERT(std::equal(program.rbegin(), program.rend(), words.rbegin()), program.size());
  return 0;
}
