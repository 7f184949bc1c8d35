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

// Tells why a job does not go on.
int run_why(const std::vector<std::string>& words);
OptionList options_of_why();

// Shows what the ranks of a job do, live.
int run_top(const std::vector<std::string>& words);
OptionList options_of_top();

// Writes what they did, and when, to a file.
int run_trace(const std::vector<std::string>& words);
OptionList options_of_trace();

// Measures what a job costs on this machine, with a control in the same rounds.
int run_bench(const std::vector<std::string>& words);
OptionList options_of_bench();

// Shows what this installation is and what this machine allows. The status is 1 if a program would
// not run, or not as requested.
int run_info(const std::vector<std::string>& words);
OptionList options_of_info();

}  // namespace gondwana::commands
