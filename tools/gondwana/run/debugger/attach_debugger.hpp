// Starts gdb for a rank that waits on this host, for the launcher of the job on another host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {

// The first argument that turns `gondwana run` into that gdb. The job's mark and the rank's number
// follow.
inline constexpr std::string_view attach_debugger_option = "--attach-debugger";

// Replaces the rank's file name if the debugger finds the rank by its mark.
inline constexpr char before_mark = '@';

// Looks for the rank until it waits, and becomes its gdb. Returns an exit status only on failure,
// after the user has read the reason.
int attach_debugger(const std::vector<std::string>& words);

}  // namespace gondwana::launch
