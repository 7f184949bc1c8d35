// Memory that processes share, and memory of the caller alone.
#pragma once

#include "armci/armci.h"
#include "core/types.hpp"

namespace gondwana::armci {

int allocate(CallName call, void** addresses, armci_size_t size);
int allocate(CallName call, void** addresses, armci_size_t size, const ARMCI_Group* group);
int release(CallName call, void* block);
int release(CallName call, void* block, const ARMCI_Group* group);

void* allocate_local(CallName call, armci_size_t size);
int release_local(CallName call, void* block);

}  // namespace gondwana::armci
