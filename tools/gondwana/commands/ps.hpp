// The command `gondwana ps`: the jobs of this user on this machine.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` follow `gondwana ps`. Returns the exit status.
int run_ps(const std::vector<std::string>& words);

}  // namespace gondwana::commands
