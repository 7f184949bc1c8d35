// shmemx_buffer_register and its counterpart: see include/shmemx.h.
#pragma once

#include "front/shmem/door.hpp"

namespace gondwana::shmem {

int register_buffer(Caller caller, void* address, std::size_t size);
int unregister_buffer(Caller caller, void* address);
// Collective. Unregisters all remaining buffers, which no rank may use any more.
void end_buffers(const Caller& caller);

}  // namespace gondwana::shmem
