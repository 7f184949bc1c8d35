// `gondwana complete`: what shells ask while a user types. Not listed among the commands.
#pragma once

#include <string>
#include <vector>

namespace gondwana::completion {

// `words`: those of the command line, from `gondwana` to the one at the cursor. Prints a line for
// each word that may stand there, "WORD<TAB>TEXT", and at last what the shell has to add:
// "@nothing", "@files", "@folders", "@programs" or "@command PLACE". Returns the exit status.
int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::completion
