// `gondwana bench`: measures what a job costs on this machine, with a control in the same rounds.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// Runs the command with `words`, the arguments after `gondwana bench`. Returns the exit status.
int run_bench(const std::vector<std::string>& words);

}  // namespace gondwana::commands
