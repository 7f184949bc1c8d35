// The changes that --gdb makes to a job before it starts.
#pragma once

#include <optional>

#include "core/result.hpp"
#include "run/debugger/debugger_windows.hpp"
#include "run/job.hpp"

namespace gondwana::launch {

// Puts the ranks of `job.gdb.ranks` under gdb. Opens windows if they can be shown and the other
// hosts of the job are reached by ssh. Call this before the files of the job are searched.
Result<std::optional<DebuggerWindows>> put_under_gdb(Job& job);

}  // namespace gondwana::launch
