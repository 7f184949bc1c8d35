// `gondwana complete`: answers shells while a user types. The list of commands does not show it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/command_line.hpp"

namespace gondwana::completion {

// Returns the options of a command from its own table.
using OptionsOf = std::function<OptionList(std::string_view command)>;

// `words` is the command line from `gondwana` to the word at the cursor. Prints a line
// "WORD<TAB>TEXT" for each candidate. The last line names the candidates that the shell adds:
// "@nothing", "@files", "@folders", "@programs" or "@command PLACE". Returns the exit status.
int run_command(const std::vector<std::string>& words, const OptionsOf& options);

}  // namespace gondwana::completion
