// The command `gondwana ps`: the jobs of this user on this machine.
#pragma once

#include <string>
#include <vector>

namespace gondwana::ps {

// `words` follow `gondwana ps`. Returns the exit status.
int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::ps
