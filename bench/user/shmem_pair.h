// Code shared by the measurements between two ranks of OpenSHMEM: the memory, a put and a get. Only
// names of OpenSHMEM 1.4 are used, so that other libraries can compile it.
#ifndef GONDWANA_BENCH_SHMEM_PAIR_H_
#define GONDWANA_BENCH_SHMEM_PAIR_H_

#include "../common/shmem_job.h"
#include "pair.h"

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
  struct pair p = start_pair(shmem_my_pe(), shmem_n_pes(), shmem_global_exit);
  p.shared = allocate_aligned(4096, CELL_BYTES + bytes);
  p.local = new_pages(bytes);
  p.remote = p.shared;
  p.mapped = shmem_ptr(p.shared, p.other);
  return p;
}

#endif
