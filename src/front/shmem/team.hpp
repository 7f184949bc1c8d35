// OpenSHMEM 1.6, section 9.3: teams. A handle is the team number of the engine plus one.
#pragma once

#include "front/shmem/door.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// Null for SHMEM_TEAM_INVALID and other invalid handles.
inline Team* find_team(const Engine& engine, shmem_team_t handle) {
  const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(handle) - 1;  // huge for INVALID
  return engine.teams().find(number);
}

inline shmem_team_t handle_of(const Team& team) {
  return reinterpret_cast<shmem_team_t>(std::uintptr_t{team.number} + 1);  // NOLINT
}

inline Team& team_of(const Caller& caller, shmem_team_t handle) {
  Team* team = find_team(caller.engine, handle);
  if (team == nullptr) [[unlikely]]
    give_up(caller.name, "the team is SHMEM_TEAM_INVALID, was destroyed or was never created");
  return *team;
}

// Returns -1 if the handle names no team, as the standard requires.
inline int team_my_pe(Caller caller, shmem_team_t handle) {
  const Team* team = find_team(caller.engine, handle);
  return team == nullptr ? -1 : static_cast<int>(team->me);
}

inline int team_n_pes(Caller caller, shmem_team_t handle) {
  const Team* team = find_team(caller.engine, handle);
  return team == nullptr ? -1 : static_cast<int>(team->size);
}

int team_translate_pe(Caller caller, shmem_team_t from, int pe, shmem_team_t to);
void* team_ptr(Caller caller, shmem_team_t team, const void* object, int pe);
int team_get_config(Caller caller, shmem_team_t team, long mask, shmem_team_config_t* config);

int team_split_strided(Caller caller, shmem_team_t parent, int start, int stride, int size,
                       const shmem_team_config_t* config, long mask, shmem_team_t* team);
int team_split_2d(Caller caller, shmem_team_t parent, int xrange,
                  const shmem_team_config_t* x_config, long x_mask, shmem_team_t* x_team,
                  const shmem_team_config_t* y_config, long y_mask, shmem_team_t* y_team);
void team_destroy(Caller caller, shmem_team_t team);

}  // namespace gondwana::shmem
