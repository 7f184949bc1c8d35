// The door tells the tools that a job has started and which rank this process is. Then the
// debugging variables take effect. Programs that use the tools alone do not call it.
#pragma once

#include <cstdint>

namespace gondwana::gasnet::tools {

// Call it once, before code that reads the environment or may fail. Afterwards messages name the
// rank, and only rank 0 reports its variables. Installs handlers for GASNET_BACKTRACE_SIGNAL and
// GASNET_FREEZE_SIGNAL. `exename` is argv[0] and may be null.
void begin_job(std::uint32_t rank, const char* exename);

}  // namespace gondwana::gasnet::tools
