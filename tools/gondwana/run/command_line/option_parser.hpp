// Splits the words of one program into options and the program itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/command_line.hpp"
#include "core/result.hpp"
#include "run/command_line/choices.hpp"

namespace gondwana::launch {

struct Section {
  Choices choices;
  std::vector<std::string> program;  // and its arguments
};

// Options end at "--" or at the first word that is not an option.
Result<Section> parse_options(std::span<const std::string> words);

std::string help_text();
// The options, for completion.
OptionList list_options();

}  // namespace gondwana::launch
