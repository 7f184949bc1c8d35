// Gondwana's extensions for jobs that continue after the death of a PE.
#pragma once

#include "front/shmem/door.hpp"
#include "shmemx.h"

namespace gondwana::shmem {

// SHMEMX_PE_ALIVE or SHMEMX_PE_DEAD; -1 if there is no such PE.
int pe_state(Caller caller, int pe);
// How often another process has taken the place of the PE; -1 if there is no such PE.
int pe_restarts(Caller caller, int pe);
// Why calls on this context have failed since the last call; 0: none has. The program then knows of
// the deaths that made them fail.
int status(Caller caller);
// Collective over the members that live. Returns 0, or nonzero on all of them.
int team_shrink(Caller caller, shmem_team_t team, shmem_team_t* living);

// Once a call has told the program of a death, later calls that need the dead fail: the signal that
// reports the death may be late.
void heed_deaths();

}  // namespace gondwana::shmem
