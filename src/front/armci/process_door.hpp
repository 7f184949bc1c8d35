// The door of this process.
#pragma once

#include "core/types.hpp"

namespace gondwana::armci {

// Collective. Only the first of several calls has an effect.
int start(CallName call);
// Collective. Each call matches one start(), and the last of them closes the door. Excess calls
// have no effect, because layers above call it too often.
int finalize(CallName call);
int is_initialized(CallName call);

}  // namespace gondwana::armci
