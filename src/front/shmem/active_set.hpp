// OpenSHMEM 1.6, section 9.9, deprecated: collectives over active sets. Each call names the set:
// PE_start, and further PEs in steps of a power of two.
//
// The first collective of a set uses flags in the user's pSync array. Later collectives use a team
// (engine/collectives/set_teams.hpp). pWrk is not used.
#pragma once

#include "front/shmem/checks.hpp"
#include "front/shmem/collectives.hpp"
#include "front/shmem/door.hpp"
#include "shmem.h"

namespace gondwana::shmem {

struct ActiveSet {
  int start;
  int log_stride;
  int size;
  long* sync;
};

// Returns the team of a set, which may be `members`, or null if this PE is not in the set. Ends the
// job if the set is invalid, and if arguments are checked and this PE is not in it.
Team* team_of(const Caller& caller, const ActiveSet& set, Team& members);

class SetTeam {
 public:
  SetTeam(const Caller& caller, const ActiveSet& set) : team_(team_of(caller, set, members_)) {}
  SetTeam(const SetTeam&) = delete;
  SetTeam& operator=(const SetTeam&) = delete;
  // False: the call does nothing.
  bool has_this_pe() const { return team_ != nullptr; }
  operator Team&() { return *team_; }  // NOLINT(google-explicit-constructor): stands for a team

 private:
  Team members_{0, {}, 0};
  Team* team_;
};

void sync_set(Caller caller, int start, int log_stride, int size, long* sync);
// First completes the operations of the default context.
void barrier_set(Caller caller, int start, int log_stride, int size, long* sync);

// Maps a negative count to 0. The call itself rejects it.
inline std::size_t elements(int count) {
  return static_cast<std::size_t>(std::max(count, 0));
}

// Checks the array arguments that all calls have.
inline void examine_set(const Caller& caller, const Array& dest, const Array& source) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_arrays(caller, dest, source);
}

// `size` is in bytes. `root` is an index in the set.
void broadcast_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                      std::size_t size, int root);
void alltoall_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                     const Exchange& shape);
void reduce_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                   int count, ElementType type);

// The standard defines the parameters.
// NOLINTBEGIN(readability-function-size)

template <std::size_t Width>
void broadcast_set(Caller caller, void* dest, const void* source, std::size_t count, int root,
                   int start, int log_stride, int size, long* sync) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_arrays_in_place(caller, {"dest", dest, Width, count}, {"source", source, Width, count});
  broadcast_in_set(caller, {start, log_stride, size, sync}, dest, source, bytes_of<Width>(count),
                   root);
}

template <std::size_t Width>
void collect_set(Caller caller, void* dest, const void* source, std::size_t count, int start,
                 int log_stride, int size, long* sync) {
  examine_set(caller, {"dest", dest, Width, count}, {"source", source, Width, count});
  SetTeam team(caller, {start, log_stride, size, sync});
  if (!team.has_this_pe()) return;
  check(caller, caller.engine.collectives().collect(team, caller.name, dest, source,
                                                    bytes_of<Width>(count)));
}

template <std::size_t Width>
void fcollect_set(Caller caller, void* dest, const void* source, std::size_t count, int start,
                  int log_stride, int size, long* sync) {
  examine_set(caller, {"dest", dest, Width, times(count, elements(size))},
              {"source", source, Width, count});
  SetTeam team(caller, {start, log_stride, size, sync});
  if (!team.has_this_pe()) return;
  check(caller, caller.engine.collectives().fcollect(team, caller.name, dest, source,
                                                     bytes_of<Width>(count)));
}

template <std::size_t Width>
void alltoall_set(Caller caller, void* dest, const void* source, std::size_t count, int start,
                  int log_stride, int size, long* sync) {
  alltoall_in_set(caller, {start, log_stride, size, sync}, dest, source,
                  {.width = Width, .count = count, .strides = {1, 1}});
}

template <std::size_t Width>
void alltoalls_set(Caller caller, void* dest, const void* source, std::ptrdiff_t dst,
                   std::ptrdiff_t sst, std::size_t count, int start, int log_stride, int size,
                   long* sync) {
  alltoall_in_set(caller, {start, log_stride, size, sync}, dest, source,
                  {.width = Width, .count = count, .strides = {dst, sst}});
}

// `work` has count / 2 + 1 elements.
void examine_reduce_set(const Caller& caller, const Array& dest, const Array& source,
                        const void* work);

template <CombineOp Op, typename T>
void reduce_set(Caller caller, T* dest, const T* source, int count, int start, int log_stride,
                int size, T* work, long* sync) {
  if (caller.checks_enabled()) [[unlikely]]
    examine_reduce_set(caller, {"dest", dest, sizeof(T), elements(count)},
                       {"source", source, sizeof(T), elements(count)}, work);
  reduce_in_set(caller, {start, log_stride, size, sync}, dest, source, count, element_type<Op, T>);
}

// NOLINTEND(readability-function-size)

}  // namespace gondwana::shmem
