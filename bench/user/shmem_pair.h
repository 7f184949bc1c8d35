// Code shared by the measurements between two ranks of OpenSHMEM: the memory, a put and a get. Only
// names of OpenSHMEM 1.4 are used, so that other libraries can compile it.
#ifndef GONDWANA_BENCH_SHMEM_PAIR_H_
#define GONDWANA_BENCH_SHMEM_PAIR_H_

#include "pair.h"

#include <shmem.h>

static inline void put(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_putmem(data_in(p->remote), p->local, bytes, p->other);
    shmem_quiet();
  }
}

static inline void get(struct pair* p, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_getmem(p->local, data_in(p->remote), bytes, p->other);
}

// `bytes` is the size of the data.
static inline struct pair start_shmem_pair(size_t bytes) {
  shmem_init();
  struct pair p = start_pair(shmem_my_pe(), shmem_n_pes());
  p.shared = shmem_align(4096, CELL_BYTES + bytes);
  p.local = new_pages(bytes);
  if (p.shared == NULL) {
    fprintf(stderr, "bench: no memory for %zu bytes on each rank; ask for fewer with -m\n", bytes);
    shmem_global_exit(1);
  }
  p.remote = p.shared;
  p.mapped = shmem_ptr(p.shared, p.other);
  return p;
}

static inline void end_shmem_pair(struct pair* p) {
  shmem_barrier_all();
  free(p->local);
  shmem_free(p->shared);
  shmem_finalize();
}

#endif
