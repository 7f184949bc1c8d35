// Code that the rows of jobs on several nodes share: rank 0 accesses memory of the last rank. That
// rank is on the last node, and waits in a barrier or computes without calling the library.
#ifndef GONDWANA_BENCH_NETWORK_H_
#define GONDWANA_BENCH_NETWORK_H_

#include "../common/shmem_job.h"

static inline int is_asked_to_compute(int argc, char** argv) {
  return argc > 1 && strcmp(argv[1], "computing") == 0;
}

// Computes until this rank's word changes, read as local memory.
static inline void compute_until(const long* over) {
  volatile double computed = 1;
  while (__atomic_load_n(over, __ATOMIC_ACQUIRE) == 0)
    for (int i = 0; i < 1000; ++i) computed = computed * 1.0000001;
}

// Runs `measure` on rank 0 while the last rank waits, or computes until the end.
static inline void measure_beside(int computing, void (*measure)(void* symmetric, int peer),
                                  void* symmetric) {
  long* over = allocate_symmetric(sizeof *over);
  const int peer = ranks - 1;
  if (me == peer && computing) compute_until(over);
  if (me == 0) {
    measure(symmetric, peer);
    shmem_long_p(over, 1, peer);
  }
  shmem_barrier_all();
  shmem_free(over);
}

#endif
