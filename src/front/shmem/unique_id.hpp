// Start by a unique id: shmemx_get_uniqueid, shmemx_init_attr.
#pragma once

#include "core/types.hpp"
#include "shmemx.h"

namespace gondwana::shmem {

// All return 0, or nonzero after a message.
int get_uniqueid(CallName name, shmemx_uniqueid_t* uniqueid);
int set_attr_uniqueid_args(CallName name, int rank, int ranks, const shmemx_uniqueid_t* uniqueid,
                           shmemx_init_attr_t* attributes);
int init_attr(CallName name, unsigned flags, const shmemx_init_attr_t* attributes);

}  // namespace gondwana::shmem
