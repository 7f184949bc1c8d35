// The command `gondwana ps`: lists the jobs of this user on this machine.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` are the arguments after `gondwana ps`. Returns the exit status.
int run_ps(const std::vector<std::string>& words);

}  // namespace gondwana::commands
