// `gondwana run` as a whole.
#pragma once

#include <string>
#include <vector>

#include "run/debugger/debugger_windows.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Runs what `words`, the words after `gondwana run`, ask for. Returns the exit status.
int run_command(const std::vector<std::string>& words);

// Starts the job, whose files are found, and waits for its end. Returns the exit status.
// `windows`: of ranks under gdb, or null.
int start_job(const Job& job, DebuggerWindows* windows = nullptr);

}  // namespace gondwana::launch
