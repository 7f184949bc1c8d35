#pragma once

namespace gondwana::gasnet::tools {

// Installs the handlers of the debugging variables. The handler of GASNET_BACKTRACE_SIGNAL prints a
// backtrace and continues. The handler of GASNET_FREEZE_SIGNAL waits for a debugger.
void catch_debug_signals();

}  // namespace gondwana::gasnet::tools
