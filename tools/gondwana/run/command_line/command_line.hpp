// From the words after `gondwana run` to a Job.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Options end at "--" or at the first word that is not one; what follows belongs to the program, up
// to a ":" that begins the next program with options of its own.
Result<Job> parse_command_line(const std::vector<std::string>& words);

}  // namespace gondwana::launch
