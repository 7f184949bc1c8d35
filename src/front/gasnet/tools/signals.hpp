#pragma once

namespace gondwana::gasnet::tools {

// Installs the handlers of the debugging variables. The handler of GASNET_BACKTRACE_SIGNAL prints a
// backtrace and continues. The handler of GASNET_FREEZE_SIGNAL waits for a debugger.
void catch_debug_signals();

// GASNet tells a client by SIGQUIT that its job ends elsewhere. A launcher ends ranks by SIGTERM
// and users do by SIGINT: where the client handles SIGQUIT and not these, they are turned into it.
void turn_ends_into_quit();
// Lets the client handle SIGQUIT, if it does.
void quit();

}  // namespace gondwana::gasnet::tools
