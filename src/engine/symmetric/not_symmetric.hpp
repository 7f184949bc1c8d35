// Why an object is not in symmetric memory.
#pragma once

#include <string>
#include <string_view>

#include "engine/symmetric/symmetric_memory.hpp"

namespace gondwana {

// The rest of a sentence that ends with "not symmetric memory": "; it is on the stack of main: make
// it static, or allocate it by shmem_malloc; the symmetric heap is ...". `device`: that it lies on,
// "emulated:0"; empty: none.
std::string why_not_symmetric(const SymmetricMemory& memory, const void* object,
                              std::string_view device);

}  // namespace gondwana
