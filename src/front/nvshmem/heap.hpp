// The symmetric heap of NVSHMEM programs: in host memory, or on a device of each PE.
#pragma once

#include <cstddef>

#include "nvshmem_types.h"

namespace gondwana::nvshmem {

void* heap_malloc(std::size_t size);
void* heap_calloc(std::size_t count, std::size_t size);
void* heap_align(std::size_t alignment, std::size_t size);
void heap_free(void* block);
void* heap_ptr(const void* address, int pe);
// Whether the program has allocated memory.
bool has_heap();
void end_heap();

// Multicast needs an NVSwitch, which is not supported.
inline void* mc_ptr(nvshmem_team_t /*team*/, const void* /*address*/) {
  return nullptr;
}

// The local side of an operation needs no registration.
template <typename... Arguments>
int accept_buffer(Arguments... /*arguments*/) {
  return 0;
}
void* register_symmetric(void* address, std::size_t size, int flags);
int unregister_symmetric(void* address, std::size_t size);

}  // namespace gondwana::nvshmem
