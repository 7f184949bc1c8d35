// Files of ranks that lie in arenas (memory/arena_file.hpp): what the agent says when it touches
// one that was made shorter meanwhile, before it ends of that.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

// From now on. The memory must stay as long as the process.
void tell_of_shortened_files(const NodeMemory& memory);
// In a handler of a signal too, after that.
[[noreturn]] void end_because_of_file(Rank owner);

}  // namespace gondwana
