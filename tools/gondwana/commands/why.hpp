// The command `gondwana why`: which ranks of a job keep the others waiting, and where.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` follow `gondwana why`. Returns the exit status.
int run_why(const std::vector<std::string>& words);

}  // namespace gondwana::commands
