// The command `gondwana why`: finds which ranks of a job keep the others waiting, and where.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

// `words` are the arguments after `gondwana why`. Returns the exit status.
int run_why(const std::vector<std::string>& words);

}  // namespace gondwana::commands
