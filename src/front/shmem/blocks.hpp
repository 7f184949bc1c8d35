// Blocks of memory at any PE, and global pointers: see shmemx.h.
#pragma once

#include "front/shmem/door.hpp"
#include "shmemx.h"

namespace gondwana::shmem {

shmemx_gptr_t malloc_at(Caller caller, int pe, std::size_t bytes);
shmemx_gptr_t malloc_at_owned(Caller caller, int pe, std::size_t bytes);
int free_at(Caller caller, shmemx_gptr_t block);
void* address_of(Caller caller, shmemx_gptr_t place);
void* pointer_to(Caller caller, shmemx_gptr_t place);
int accumulate_at(Caller caller, shmemx_gptr_t dest, const void* source, std::size_t count,
                  int type);

}  // namespace gondwana::shmem
