// Code shared by the measuring programs of whole jobs: memory of all ranks, as mapped in this
// process for the controls, and a line for each round.
#ifndef GONDWANA_BENCH_WHOLE_JOB_H_
#define GONDWANA_BENCH_WHOLE_JOB_H_

#include "../common/barriers.h"
#include "../common/shmem_job.h"

static enum wait_kind how;

// Memory at the same offset on every rank.
struct shared {
  void* own;
  void** of;  // one for each rank, as mapped here; NULL: not all ranks are mapped
};

static inline struct shared allocate_shared(size_t bytes) {
  struct shared memory = {allocate_symmetric(bytes),
                          (void**)allocate_private((size_t)ranks * sizeof(void*))};
  int is_mapped = 1;
  for (int rank = 0; rank < ranks; ++rank) {
    memory.of[rank] = shmem_ptr(memory.own, rank);
    is_mapped = is_mapped && memory.of[rank] != NULL;
  }
  if (is_mapped) return memory;
  free((void*)memory.of);
  memory.of = NULL;
  return memory;
}

// Binds ranks unless they would wait for each other on one processor.
static inline void begin_job(void) {
  start_shmem();
  how = usual_wait(ranks);
  pin_unless_oversubscribed();
}

// Random numbers that are the same on every machine: xorshift with a multiplication.
static inline uint64_t next_number(uint64_t* state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

#endif
