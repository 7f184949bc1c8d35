#pragma once

namespace gondwana::gasnet::tools {

// Installs the handlers of the debugging variables. The handler of GASNET_BACKTRACE_SIGNAL prints a
// backtrace and continues. The handler of GASNET_FREEZE_SIGNAL waits for a debugger.
void catch_debug_signals();

// GASNet tells a client by SIGQUIT that its job is ending elsewhere. A launcher ends ranks with
// SIGTERM and users with SIGINT. If the client handles SIGQUIT but not these two, both raise
// SIGQUIT instead.
void turn_ends_into_quit();
// Raises SIGQUIT if the client handles it.
void quit();

}  // namespace gondwana::gasnet::tools
