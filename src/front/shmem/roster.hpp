// Gondwana's extensions for jobs that grow and shrink while they run.
#pragma once

#include <cstdint>

#include "front/shmem/door.hpp"
#include "shmemx.h"

namespace gondwana::shmem {

// Starts `pes` PEs and waits until they have initialized. `words`: their command line, which ends
// with null; null: that of this PE. Returns the number of the first, or -1 after a message.
int spawn(Caller caller, int pes, const char* const* words, const char* hosts);
// Collective over all PEs that live. Returns 0, or nonzero on all of them.
int team_update(Caller caller, shmem_team_t* everybody);
// Ends the part of this PE in the job. Returns 0, or nonzero after a message.
int leave(Caller caller);

// Counts the PEs that have joined later, died or left.
std::uint64_t roster_epoch(Caller caller);
// Whether that count differs from `*epoch`, which gets the present one.
int roster_changed(Caller caller, std::uint64_t* epoch);
// Waits until it differs from `epoch`, for at most `timeout_us` microseconds.
int roster_wait(Caller caller, std::uint64_t epoch, std::uint64_t timeout_us);

}  // namespace gondwana::shmem
