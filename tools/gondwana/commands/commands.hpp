// All commands except `run`. `words` follow the name of the command. Each function returns the exit
// status. The lists of options are for completion.
#pragma once

#include <string>
#include <vector>

#include "base/command_line.hpp"

namespace gondwana::commands {

// Lists the jobs of this user on this machine.
int run_ps(const std::vector<std::string>& words);
OptionList options_of_ps();

// Adds ranks to a job.
int run_grow(const std::vector<std::string>& words);
OptionList options_of_grow();

// Ends ranks of a job, which continues.
int run_shrink(const std::vector<std::string>& words);
OptionList options_of_shrink();

// Reports why a job does not continue.
int run_why(const std::vector<std::string>& words);
OptionList options_of_why();

// Shows the activity of a job's ranks, live.
int run_top(const std::vector<std::string>& words);
OptionList options_of_top();

// Writes the operations of the ranks, with their times, to a file.
int run_trace(const std::vector<std::string>& words);
OptionList options_of_trace();

// Measures the costs of a job on this machine, with a control in the same rounds.
int run_bench(const std::vector<std::string>& words);
OptionList options_of_bench();

// Shows the properties of this installation and the limits of this machine. The status is 1 if a
// program would not run, or not as requested.
int run_info(const std::vector<std::string>& words);
OptionList options_of_info();

}  // namespace gondwana::commands
