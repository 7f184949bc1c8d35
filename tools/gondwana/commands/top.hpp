// The command `gondwana top`: what the ranks of a job do, again and again.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` follow `gondwana top`. Returns the exit status.
int run_top(const std::vector<std::string>& words);

}  // namespace gondwana::commands
