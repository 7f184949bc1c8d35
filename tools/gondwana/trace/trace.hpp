// The command `gondwana trace`.
#pragma once

#include <string>
#include <vector>

namespace gondwana::trace {

int run_command(const std::vector<std::string>& words);

}  // namespace gondwana::trace
