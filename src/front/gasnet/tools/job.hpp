// What the tools learn from the door when a job begins: who this process is in it, and that it is
// time to do what the variables for debugging ask. Programs that use the tools alone never get
// here.
#pragma once

#include <cstdint>

namespace gondwana::gasnet::tools {

// To be called once, before anything that reads the environment or may fail. Messages then name the
// rank and only rank 0 reports its variables. Installs handlers for GASNET_BACKTRACE_SIGNAL and
// GASNET_FREEZE_SIGNAL. `exename` is argv[0] and may be null.
void begin_job(std::uint32_t rank, const char* exename);

}  // namespace gondwana::gasnet::tools
