// Files of ranks that are mapped in arenas (memory/arena_file.hpp). If the agent touches a file
// that was truncated after mapping, it reports that and ends.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

// Installs the handler. `memory` must outlive the process.
void report_shortened_files(const NodeMemory& memory);
// Also safe in a signal handler once report_shortened_files() has run.
[[noreturn]] void end_because_of_file(Rank owner);

}  // namespace gondwana
