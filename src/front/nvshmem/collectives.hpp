// Collectives over a team that move bytes.
#pragma once

#include <cstddef>

#include "front/nvshmem/elements.hpp"
#include "front/nvshmem/teams.hpp"

namespace gondwana::nvshmem {

inline int barrier(nvshmem_team_t team) {
  shmem_quiet();
  return shmem_team_sync(team_of(team));
}

template <typename T>
int broadcast(nvshmem_team_t team, T* dest, const T* source, std::size_t count, int root) {
  return shmem_broadcastmem(team_of(team), dest, source, bytes_of<T>(count), root);
}

template <typename T>
int fcollect(nvshmem_team_t team, T* dest, const T* source, std::size_t count) {
  return shmem_fcollectmem(team_of(team), dest, source, bytes_of<T>(count));
}

template <typename T>
int alltoall(nvshmem_team_t team, T* dest, const T* source, std::size_t count) {
  return shmem_alltoallmem(team_of(team), dest, source, bytes_of<T>(count));
}

}  // namespace gondwana::nvshmem
