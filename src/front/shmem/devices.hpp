// Device memory of this PE: shmemx_device_malloc and related calls. See include/shmemx.h.
#pragma once

#include <cstddef>

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

int devices(const Caller& caller);
int device_name(const Caller& caller, int device, char* name, std::size_t bytes);
// Returns -1 for host memory.
int device_of(const Caller& caller, const void* address);
void* device_malloc(const Caller& caller, int device, std::size_t bytes);
void device_free(const Caller& caller, void* address);
int device_memcpy(const Caller& caller, void* dest, const void* source, std::size_t bytes);

}  // namespace gondwana::shmem
