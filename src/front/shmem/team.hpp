// Team handles of the user, and the teams they mean.
#pragma once

#include "front/shmem/door.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// Null for SHMEM_TEAM_INVALID and anything that is no handle.
inline Team* find_team(Engine& engine, shmem_team_t handle) {
  if (handle == SHMEM_TEAM_WORLD) return &engine.world();
  if (handle == SHMEM_TEAM_SHARED) return &engine.shared();
  return nullptr;
}

inline Team& team_of(const Caller& caller, shmem_team_t handle) {
  Team* team = find_team(caller.engine, handle);
  if (team == nullptr) [[unlikely]]
    give_up(caller.name, "the team is SHMEM_TEAM_INVALID or was never made");
  return *team;
}

}  // namespace gondwana::shmem
