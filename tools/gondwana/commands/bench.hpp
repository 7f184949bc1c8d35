// `gondwana bench`: what a job costs on this machine, beside a control in the same rounds.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// Runs what `words`, the words after `gondwana bench`, ask for. Returns the exit status.
int run_bench(const std::vector<std::string>& words);

}  // namespace gondwana::commands
