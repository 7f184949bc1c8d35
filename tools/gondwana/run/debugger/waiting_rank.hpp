// The process of a rank that waits for a debugger.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gondwana::launch {

// The first of the words by which `gondwana run` is that process. After it come the file to write
// a WaitingRank to, "-", or "@" and the mark by which attach_debugger() finds it, and the words of
// the program.
inline constexpr std::string_view wait_for_debugger_option = "--wait-for-debugger";

// Waits until a debugger has attached, and becomes the program. Without a file it says on the
// standard error what to type. Returns only if the program cannot be run: the exit status.
int wait_for_debugger(const std::vector<std::string>& words);

}  // namespace gondwana::launch
