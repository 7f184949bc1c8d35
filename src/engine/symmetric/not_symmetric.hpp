// Explains why an object is not in symmetric memory.
#pragma once

#include <string>
#include <string_view>

#include "engine/symmetric/symmetric_memory.hpp"

namespace gondwana {

// The end of a message that begins with "not symmetric memory": "; it is on the stack of main: make
// it static, or allocate it by shmem_malloc; the symmetric heap is ...". `device`: the device that
// owns the memory, as "emulated:0", or empty.
std::string why_not_symmetric(const SymmetricMemory& memory, const void* object,
                              std::string_view device);

}  // namespace gondwana
