// A job of OpenSHMEM: its start, its memory and its end. Only names of OpenSHMEM 1.4 are used, so
// that other libraries can compile it.
#ifndef GONDWANA_BENCH_SHMEM_JOB_H_
#define GONDWANA_BENCH_SHMEM_JOB_H_

#include "measure.h"

#include <shmem.h>

static inline void start_shmem(void) {
  shmem_init();
  enter_job(shmem_my_pe(), shmem_n_pes(), shmem_global_exit);
}

// Does not bind the calling thread, so that the threads that it starts can bind themselves.
static inline void start_shmem_threads_unpinned(void) {
  int provided = SHMEM_THREAD_SINGLE;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  enter_job_unpinned(shmem_my_pe(), shmem_n_pes(), shmem_global_exit);
  if (provided < SHMEM_THREAD_MULTIPLE) skip("the library does not provide SHMEM_THREAD_MULTIPLE");
}

static inline void start_shmem_threads(void) {
  start_shmem_threads_unpinned();
  pin_if_asked(me);
}

static inline void end_shmem(void) {
  shmem_barrier_all();
  shmem_finalize();
}

// Cleared on every rank before any rank returns.
static inline void* clear_everywhere(void* memory, size_t bytes) {
  if (memory == NULL)
    fail("no memory for %zu bytes on each rank; ask for fewer with -m (gondwana bench)", bytes);
  memset(memory, 0, bytes);
  shmem_barrier_all();
  return memory;
}

static inline void* allocate_symmetric(size_t bytes) {
  return clear_everywhere(shmem_malloc(bytes), bytes);
}

static inline void* allocate_aligned(size_t alignment, size_t bytes) {
  return clear_everywhere(shmem_align(alignment, bytes), bytes);
}

static inline void* allocate_private(size_t bytes) {
  void* memory = calloc(1, bytes);
  if (memory == NULL) fail("no memory for %zu bytes", bytes);
  return memory;
}

#endif
