// The command `gondwana top`: what the ranks of a job do, again and again.
#pragma once

#include <string>
#include <vector>

namespace gondwana::top {

// `words` follow `gondwana top`. Returns the exit status.
int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::top
