// OpenSHMEM 1.6, sections 9.11 and 9.12: ordering, barriers.
#pragma once

#include "front/shmem/checks.hpp"
#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// SHMEM_CTX_INVALID has no operations to order or complete.
template <AnyCaller C>
void fence(C caller) {
  if (caller.names_no_context()) return;
  const Caller resolved = caller;
  resolved.engine.rma().fence(resolved.lane);
}

template <AnyCaller C>
void quiet(C caller) {
  if (caller.names_no_context()) return;
  const Caller resolved = caller;
  check(resolved, resolved.engine.rma().quiet(resolved.lane));
}

// Completes the operations to all PEs. This is more than required, and costs no more on a node.
template <AnyCaller C>
void pe_quiet(C caller, const int* pes, std::size_t count) {
  if (!caller.names_no_context() && caller.checks_enabled()) [[unlikely]]
    examine_pes(caller, pes, count);
  if (count > 0) quiet(caller);
}

inline void examine_meeting(const Caller& caller, Team& team) {
  if (caller.examines()) [[unlikely]]
    examine_collective(caller, team, "");
}

inline void barrier_all(Caller caller) {
  examine_meeting(caller, caller.engine.teams().world());
  check_meeting(caller,
                caller.engine.collectives().barrier(caller.engine.teams().world(), caller.name));
}

inline void sync_all(Caller caller) {
  examine_meeting(caller, caller.engine.teams().world());
  caller.engine.collectives().sync(caller.engine.teams().world(), caller.name);
}

inline int team_sync(Caller caller, shmem_team_t handle) {
  Team& team = team_of(caller, handle);
  examine_meeting(caller, team);
  caller.engine.collectives().sync(team, caller.name);
  return 0;
}

}  // namespace gondwana::shmem
