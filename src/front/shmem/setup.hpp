// OpenSHMEM 1.6, section 9.1: set-up, exit and query.
#pragma once

#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"

namespace gondwana::shmem {

void init(CallName name);
void finalize(Caller caller);
[[noreturn]] void global_exit(Caller caller, int status);

void info_get_version(CallName name, int* major, int* minor);
void info_get_name(CallName name, char* text);

inline int my_pe(Caller caller) {
  return static_cast<int>(index(caller.engine.rank()));
}
inline int n_pes(Caller caller) {
  return static_cast<int>(caller.engine.ranks());
}

inline int pe_accessible(Caller caller, int pe) {
  return static_cast<std::uint32_t>(pe) < caller.engine.ranks() ? 1 : 0;
}

inline int addr_accessible(Caller caller, const void* address, int pe) {
  return pe_accessible(caller, pe) != 0 && caller.engine.is_symmetric(address) ? 1 : 0;
}

inline void* ptr(Caller caller, const void* object, int pe) {
  return caller.engine.pointer_to(rank_of(pe), object);
}

// -1 where the handle names no team, as the standard has it.
inline int team_my_pe(Caller caller, shmem_team_t handle) {
  const Team* team = find_team(caller.engine, handle);
  return team == nullptr ? -1 : static_cast<int>(team->me);
}

inline int team_n_pes(Caller caller, shmem_team_t handle) {
  const Team* team = find_team(caller.engine, handle);
  return team == nullptr ? -1 : static_cast<int>(team->size);
}

}  // namespace gondwana::shmem
