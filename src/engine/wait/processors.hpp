// How the ranks of a node share its processors, which decides how a rank waits.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

struct Processors {
  bool is_oversubscribed;  // there are more ranks than processors for them
  bool yields_help;        // a yield may give the processor to another rank
};

// For the others to see, before they are asked for: where this rank may run.
void publish_place(ControlPage& page);

// What all ranks of the node have published.
Processors find_processors(const NodeMemory& memory);

// How many processors `rank` has where each is shared out among the ranks that may run there; at
// least 1.
std::uint32_t share_of_processors(const NodeMemory& memory, Rank rank);

}  // namespace gondwana
