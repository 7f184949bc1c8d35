// Signals: their names, and what the debugging variables want from them.
#pragma once

#include <optional>
#include <string_view>

namespace gondwana::gasnet::tools {

// The number of "SIGUSR1", "usr1" or "10".
std::optional<int> signal_number(std::string_view name);
// "SIGUSR1", or "a signal" where it has no name here.
const char* signal_name(int number);

// Installs handlers for GASNET_BACKTRACE_SIGNAL, which prints a backtrace and goes on, and for
// GASNET_FREEZE_SIGNAL, which waits for a debugger.
void catch_debug_signals();

// From now on a crash is said, with a backtrace and a chance for a debugger if variables ask for
// them, before the signal does what it does. Leaves signals alone that have a handler.
void catch_crashes();

}  // namespace gondwana::gasnet::tools
