// The door of this process.
#pragma once

#include "core/types.hpp"

namespace gondwana::armci {

// Collective. Only the first of several calls does anything.
void start(CallName call);

}  // namespace gondwana::armci
