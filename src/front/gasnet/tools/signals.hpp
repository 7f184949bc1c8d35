// What the debugging variables want from signals.
#pragma once

namespace gondwana::gasnet::tools {

// Installs handlers for GASNET_BACKTRACE_SIGNAL, which prints a backtrace and goes on, and for
// GASNET_FREEZE_SIGNAL, which waits for a debugger.
void catch_debug_signals();

}  // namespace gondwana::gasnet::tools
