// --show: the job in words that a shell would understand.
#pragma once

#include <string>

#include "run/job.hpp"

namespace gondwana::launch {

// One line for each program, on each host: "ranks 0-3: GONDWANA_SIZE=4 VAR=value ./heat 100".
// The hosts are those in use.
std::string show(const Job& job);

}  // namespace gondwana::launch
