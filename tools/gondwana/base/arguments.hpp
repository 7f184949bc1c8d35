// Words of command lines that ask for a job.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace gondwana {

// "0.5": seconds, from 0.05 to 3600. `option` is for the sentence.
Result<std::chrono::milliseconds> parse_seconds(std::string_view option, std::string_view word);

// A word that is no option known to `command`: the one job that is meant.
Result<void> take_job(std::string_view command, const std::string& word, std::string& job);

}  // namespace gondwana
