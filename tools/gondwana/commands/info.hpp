// `gondwana info`: what this installation is, what this machine lets it do, and what is wrong.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// Runs what `words`, the words after `gondwana info`, ask for. Returns the exit status: 1 where a
// program would not run, or not as asked.
int run_info(const std::vector<std::string>& words);

}  // namespace gondwana::commands
