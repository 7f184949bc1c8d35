// The command `gondwana trace`.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

int run_trace(const std::vector<std::string>& words);

}  // namespace gondwana::commands
