// The command `gondwana top`: shows what the ranks of a job do, at intervals.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` are the arguments after `gondwana top`. Returns the exit status.
int run_top(const std::vector<std::string>& words);

}  // namespace gondwana::commands
