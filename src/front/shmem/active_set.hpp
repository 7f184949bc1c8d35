// OpenSHMEM 1.6, section 9.9, deprecated: collectives over active sets, whose members are named in
// each call: PE_start, and on from there in steps of a power of two.
//
// Such a set has no resources but the user's pSync array, in which its members raise flags; pWrk is
// not needed.
#pragma once

#include "engine/group_algorithms.hpp"
#include "front/shmem/collectives.hpp"
#include "front/shmem/door.hpp"
#include "shmem.h"

namespace gondwana::shmem {

// As the C functions have them.
struct ActiveSet {
  int start;
  int log_stride;
  int size;
  long* sync;
};

// The set as a group; ends the job where it is none or this PE is not in it.
Group group_of(const Caller& caller, const ActiveSet& set);

// The algorithm that the user named.
inline Algorithm algorithm_for(const Caller& caller, Collective collective) {
  return caller.engine.options().algorithms.of(collective);
}

void sync_set(Caller caller, int start, int log_stride, int size, long* sync);
// Completes what went through the default context before.
void barrier_set(Caller caller, int start, int log_stride, int size, long* sync);

// In bytes; `root` is a number in the set.
void broadcast_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                      std::size_t size, int root);
void alltoall_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                     const Exchange& shape);
void reduce_in_set(const Caller& caller, const ActiveSet& set, void* dest, const void* source,
                   int count, ElementType type);

template <std::size_t Width>
void broadcast_set(Caller caller, void* dest, const void* source, std::size_t count, int root,
                   int start, int log_stride, int size, long* sync) {
  broadcast_in_set(caller, {start, log_stride, size, sync}, dest, source, bytes_of<Width>(count),
                   root);
}

template <std::size_t Width>
void collect_set(Caller caller, void* dest, const void* source, std::size_t count, int start,
                 int log_stride, int size, long* sync) {
  Group group = group_of(caller, {start, log_stride, size, sync});
  check(caller, reference::collect(group, algorithm_for(caller, Collective::collect), dest, source,
                                   bytes_of<Width>(count)));
}

template <std::size_t Width>
void fcollect_set(Caller caller, void* dest, const void* source, std::size_t count, int start,
                  int log_stride, int size, long* sync) {
  Group group = group_of(caller, {start, log_stride, size, sync});
  check(caller, reference::fcollect(group, algorithm_for(caller, Collective::fcollect), dest,
                                    source, bytes_of<Width>(count)));
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

template <ReduceOp Op, typename T>
void reduce_set(Caller caller, T* dest, const T* source, int count, int start, int log_stride,
                int size, T* /*work*/, long* sync) {
  reduce_in_set(caller, {start, log_stride, size, sync}, dest, source, count, element_type<Op, T>);
}

}  // namespace gondwana::shmem
