// Runs a command and reads what it prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::bench {

// All of its standard output. Its standard error is ours. An error if it does not start or ends
// with a status other than 0. SIGTERM ends it if this process ends before it.
Result<std::string> output_of(const std::vector<std::string>& words);

// Starts a command `copies` times and returns when all have ended, with status 0.
Result<void> run_at_once(const std::vector<std::string>& words, std::uint32_t copies);

}  // namespace gondwana::bench
