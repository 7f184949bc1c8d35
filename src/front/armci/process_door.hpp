// The door of this process.
#pragma once

#include "core/types.hpp"

namespace gondwana::armci {

// Collective. Only the first of several calls does anything.
void start(CallName call);
// Collective. Only the last of as many calls as inits does anything. Layers above call it too
// often.
void finalize(CallName call);

}  // namespace gondwana::armci
