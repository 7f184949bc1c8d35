// The process of a rank that waits for a debugger.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {

// The first argument that turns `gondwana run` into that process. Next come the file to write a
// WaitingRank to ("-" for none, or "@" and the mark by which attach_debugger() finds the rank) and
// the words of the program.
inline constexpr std::string_view wait_for_debugger_option = "--wait-for-debugger";

// Waits until a debugger has attached, then becomes the program. Without a file it prints the
// command to type on standard error. Returns an exit status only if the program cannot be run.
int wait_for_debugger(const std::vector<std::string>& words);

}  // namespace gondwana::launch
