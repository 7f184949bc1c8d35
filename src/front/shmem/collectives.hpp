// OpenSHMEM 1.6, section 9.9: collectives on teams. They return 0, or end the job.
#pragma once

#include <complex>

#include "front/shmem/checks.hpp"
#include "front/shmem/door.hpp"
#include "front/shmem/team.hpp"
#include "operations/combine.hpp"

namespace gondwana::shmem {

using gondwana::CombineOp;  // for generated calls

// The number of elements of all members.
inline std::size_t of_all(const Team& team, std::size_t count) {
  return times(count, team.size);
}

template <std::size_t Width>
int broadcast(Caller caller, shmem_team_t handle, void* dest, const void* source, std::size_t count,
              int root) {
  Team& team = team_of(caller, handle);
  if (caller.examines()) [[unlikely]]
    examine_in_place(caller, team, {"dest", dest, Width, count}, {"source", source, Width, count},
                     fmt::format("root {}", root));
  if (root < 0 || static_cast<std::uint32_t>(root) >= team.size)
    give_up(caller.name, fmt::format("root {}: the team has {} members, 0 to {}", root, team.size,
                                     team.size - 1));
  check_meeting(caller, caller.engine.collectives().broadcast(team, caller.name, dest, source,
                                                              bytes_of<Width>(count),
                                                              static_cast<std::uint32_t>(root)));
  return 0;
}

template <std::size_t Width>
int collect(Caller caller, shmem_team_t handle, void* dest, const void* source, std::size_t count) {
  Team& team = team_of(caller, handle);
  if (caller.examines()) [[unlikely]]
    examine_collect(caller, team, {"dest", dest, Width, count}, {"source", source, Width, count});
  check_meeting(caller, caller.engine.collectives().collect(team, caller.name, dest, source,
                                                            bytes_of<Width>(count)));
  return 0;
}

template <std::size_t Width>
int fcollect(Caller caller, shmem_team_t handle, void* dest, const void* source,
             std::size_t count) {
  Team& team = team_of(caller, handle);
  if (caller.examines()) [[unlikely]]
    examine_collective(caller, team, {"dest", dest, Width, of_all(team, count)},
                       {"source", source, Width, count});
  check_meeting(caller, caller.engine.collectives().fcollect(team, caller.name, dest, source,
                                                             bytes_of<Width>(count)));
  return 0;
}

template <std::size_t Width>
int alltoalls(Caller caller, shmem_team_t handle, void* dest, const void* source,
              std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t count) {
  Team& team = team_of(caller, handle);
  if (caller.examines()) [[unlikely]]
    examine_collective(caller, team, {"dest", dest, Width, of_all(team, count), dst},
                       {"source", source, Width, of_all(team, count), sst},
                       fmt::format("dst {}, sst {}", dst, sst));
  if (dst < 1 || sst < 1)
    give_up(caller.name, fmt::format("strides dst {} and sst {}: expected at least 1", dst, sst));
  check_meeting(caller, caller.engine.collectives().alltoall(
                            team, caller.name, dest, source,
                            {.width = Width, .count = count, .strides = {dst, sst}}));
  return 0;
}

template <std::size_t Width>
int alltoall(Caller caller, shmem_team_t team, void* dest, const void* source, std::size_t count) {
  return alltoalls<Width>(caller, team, dest, source, 1, 1, count);
}

template <typename T>
void examine_reduction(const Caller& caller, Team& team, const T* dest, const T* source,
                       std::size_t count) {
  if (caller.examines()) [[unlikely]]
    examine_in_place(caller, team, {"dest", dest, sizeof(T), count},
                     {"source", source, sizeof(T), count});
}

template <CombineOp Op, typename T>
int reduce(Caller caller, shmem_team_t handle, T* dest, const T* source, std::size_t count) {
  Team& team = team_of(caller, handle);
  examine_reduction(caller, team, dest, source, count);
  check_meeting(caller, caller.engine.collectives().reduce(team, caller.name, dest, source, count,
                                                           element_type<Op, T>));
  return 0;
}

template <typename T>
int sum_inscan(Caller caller, shmem_team_t handle, T* dest, const T* source, std::size_t count) {
  Team& team = team_of(caller, handle);
  examine_reduction(caller, team, dest, source, count);
  check_meeting(caller,
                caller.engine.collectives().scan(team, caller.name, dest, source, count,
                                                 element_type<CombineOp::sum, T>, Scan::inclusive));
  return 0;
}

template <typename T>
int sum_exscan(Caller caller, shmem_team_t handle, T* dest, const T* source, std::size_t count) {
  Team& team = team_of(caller, handle);
  examine_reduction(caller, team, dest, source, count);
  check_meeting(caller,
                caller.engine.collectives().scan(team, caller.name, dest, source, count,
                                                 element_type<CombineOp::sum, T>, Scan::exclusive));
  return 0;
}

}  // namespace gondwana::shmem
