// Parses the arguments of `gondwana run` into a Job.
#pragma once

#include <string>
#include <vector>

#include "core/result.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Options end at "--" or at the first word that is not an option. The words after them belong to
// the program, up to a ":". Then the next program begins, with its own options.
Result<Job> parse_command_line(const std::vector<std::string>& words);

}  // namespace gondwana::launch
