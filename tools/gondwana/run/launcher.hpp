// The command `gondwana run`.
#pragma once

#include <string>
#include <vector>

#include "run/debugger/debugger_windows.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Runs the command with `words`, the arguments after `gondwana run`. Returns the exit status.
int run_command(const std::vector<std::string>& words);

// Starts the job, whose files have been found, and waits for its end. Returns the exit status.
// `windows`: for ranks under gdb, or null.
int start_job(const Job& job, DebuggerWindows* windows = nullptr);

}  // namespace gondwana::launch
