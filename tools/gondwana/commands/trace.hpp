// The command `gondwana trace`: writes a trace of a job.
#pragma once

#include <string>
#include <vector>

namespace gondwana::commands {

int run_trace(const std::vector<std::string>& words);

}  // namespace gondwana::commands
