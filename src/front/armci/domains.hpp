// Which processes share a node.
#pragma once

#include "core/types.hpp"

namespace gondwana::armci {

// Returns 1 if the caller and this process share a node.
int is_same_node(CallName call, int proc);

}  // namespace gondwana::armci
