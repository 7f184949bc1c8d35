// `gondwana info`: reports this installation, what the machine allows, and what is wrong.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// Runs the command with `words`, the arguments after `gondwana info`. Returns the exit status: 1 if
// a program would not run, or not as requested.
int run_info(const std::vector<std::string>& words);

}  // namespace gondwana::commands
