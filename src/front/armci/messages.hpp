// Barriers and broadcasts of the message layer.
#pragma once

#include "armci/armci.h"
#include "core/types.hpp"

namespace gondwana::armci {

void meet(CallName call);
void meet(CallName call, const ARMCI_Group* group);
void broadcast(CallName call, int scope, void* buffer, int size, int root);

}  // namespace gondwana::armci
