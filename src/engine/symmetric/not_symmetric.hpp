// Why an object is not in symmetric memory.
#pragma once

#include <string>

#include "engine/symmetric/symmetric_memory.hpp"

namespace gondwana {

// The rest of a sentence that ends with "not symmetric memory": "; it is on the stack of main: make
// it static, or allocate it by shmem_malloc; the symmetric heap is ...".
std::string why_not_symmetric(const SymmetricMemory& memory, const void* object);

}  // namespace gondwana
