// What may stand where the cursor is in a command line of `gondwana`.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commands/completion/help_table.hpp"

namespace gondwana::completion {

struct Candidate {
  std::string word;
  std::string text;  // for shells that show it
};

// What the shell adds: it knows files and other commands better.
enum class FromShell {
  nothing,
  files,
  folders,
  programs,
  command  // it completes the command line that begins at Answer::command
};

struct Answer {
  std::vector<Candidate> candidates;
  FromShell from_shell = FromShell::nothing;
  std::size_t command = 0;  // the place of a word
};

// Where what is offered comes from.
struct Sources {
  // The help of a command.
  std::function<std::string(const std::string& command)> help;
  std::function<std::vector<Candidate>()> jobs;
};

// `words`: the command line from the name of the command on. The last is the one at the cursor
// and may be empty.
Answer complete(std::span<const std::string> words, const Sources& sources);

}  // namespace gondwana::completion
