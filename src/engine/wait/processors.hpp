// How the ranks of a node share its processors, which decides how a rank waits.
#pragma once

#include "memory/node_memory.hpp"

namespace gondwana {

struct Processors {
  bool is_oversubscribed;        // there are more ranks than processors for them
  bool yields_help;              // a yield may give the processor to another rank
  std::uint32_t ranks_each = 1;  // that share a processor
};

// Publishes where this rank may run. All ranks do so before find_processors().
void publish_place(ControlPage& page);

// Evaluates what all ranks of the node have published.
Processors find_processors(const NodeMemory& memory);

// The number of processors that `rank` has if each is divided among the ranks that may run on it;
// at least 1.
std::uint32_t share_of_processors(const NodeMemory& memory, Rank rank);

}  // namespace gondwana
