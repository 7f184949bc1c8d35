// `gondwana complete`: answers shells while a user types. The list of commands does not show it.
#pragma once

#include <string>
#include <vector>

namespace gondwana::completion {

// `words` is the command line from `gondwana` to the word at the cursor. Prints a line
// "WORD<TAB>TEXT" for each candidate. The last line says what the shell adds: "@nothing", "@files",
// "@folders", "@programs" or "@command PLACE". Returns the exit status.
int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::completion
