// What --gdb changes in a job before it starts.
#pragma once

#include <optional>

#include "core/result.hpp"
#include "run/debugger/debugger_windows.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Puts the ranks of `job.gdb.ranks` under gdb. Windows are opened if there is a place for
// them and ssh leads to the other hosts of the job. The files of the job are to be found after it.
Result<std::optional<DebuggerWindows>> put_under_gdb(Job& job);

}  // namespace gondwana::launch
