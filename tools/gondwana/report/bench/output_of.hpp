// Runs a command and reads its output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace gondwana::bench {

// Returns all standard output. Standard error is inherited. Fails if the command does not start, or
// ends with a status other than 0. If this process ends first, the command receives SIGTERM.
Result<std::string> output_of(const std::vector<std::string>& words);

// Starts a command `copies` times. Succeeds when all have ended with status 0.
Result<void> run_at_once(const std::vector<std::string>& words, std::uint32_t copies);

}  // namespace gondwana::bench
