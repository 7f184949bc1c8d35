// `gondwana run` as a whole.
#pragma once

#include <string>
#include <vector>

namespace gondwana::launch {

// Runs what `words`, the words after `gondwana run`, ask for. Returns the exit status.
int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::launch
