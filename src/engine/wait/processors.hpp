// How the ranks of a node share its processors, which decides how a rank waits.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

struct Processors {
  bool is_oversubscribed;        // more ranks than usable processors
  bool yields_help;              // a yield may give the processor to another rank
  std::uint32_t ranks_each = 1;  // ranks per processor
};

// Publishes the processors on which this rank may run. All ranks do so before find_processors().
void publish_place(ControlPage& page);

// Evaluates the data that all ranks of the node have published.
Processors find_processors(const NodeMemory& memory);

// The number of processors of `rank` if each is divided among the ranks that may run on it; at
// least 1.
std::uint32_t share_of_processors(const NodeMemory& memory, Rank rank);

}  // namespace gondwana
