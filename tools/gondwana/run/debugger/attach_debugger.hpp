// gdb for a rank that waits on this host, started by the launcher of the job on another host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {

// The first of the words by which `gondwana run` becomes that gdb. After it come the mark of the
// job and the number of the rank.
inline constexpr std::string_view attach_debugger_option = "--attach-debugger";

// What a rank gets in place of a file if a debugger finds it by the mark.
inline constexpr char before_mark = '@';

// Looks for the rank until it waits, and becomes its gdb. Returns only if that fails: the exit
// status, after the user has read why.
int attach_debugger(const std::vector<std::string>& words);

}  // namespace gondwana::launch
