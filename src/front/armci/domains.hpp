// Which processes share a node.
#pragma once

#include "core/types.hpp"

namespace gondwana::armci {

// 1: the caller and this process do.
int is_same_node(CallName call, int proc);

}  // namespace gondwana::armci
