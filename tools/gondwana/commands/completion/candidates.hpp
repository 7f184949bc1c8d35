// The words that are possible at the cursor in a command line of `gondwana`.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/command_line.hpp"

namespace gondwana::completion {

struct Candidate {
  std::string word;
  std::string text;  // a description, for shells that show it
};

// The candidates that the shell adds itself, such as files and other commands.
enum class FromShell {
  nothing,
  files,
  folders,
  programs,
  command  // complete the command line that begins at Answer::command
};

struct Answer {
  std::vector<Candidate> candidates;
  FromShell from_shell = FromShell::nothing;
  std::size_t command = 0;  // index of a word
};

// The sources of the candidates.
struct Sources {
  std::function<OptionList(std::string_view command)> options;
  std::function<std::vector<Candidate>()> jobs;
};

// `words` is the command line from the command's name. The last word is the one at the cursor and
// may be empty.
Answer complete(std::span<const std::string> words, const Sources& sources);

}  // namespace gondwana::completion
