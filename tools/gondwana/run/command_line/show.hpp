// --show: prints the job in shell notation.
#pragma once

#include <string>

#include "run/job.hpp"

namespace gondwana::launch {

// Has one line for each program on each host: "ranks 0-3: GONDWANA_SIZE=4 VAR=value ./heat 100".
// Unused hosts are left out.
std::string show(const Job& job);

}  // namespace gondwana::launch
