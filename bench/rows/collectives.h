// Sum reduction and broadcast on all ranks: by teams (OpenSHMEM 1.5) or, with an older library, by
// active sets. An active set needs a work array of its own for each call of a batch.
#ifndef GONDWANA_BENCH_COLLECTIVES_H_
#define GONDWANA_BENCH_COLLECTIVES_H_

#include "../common/measure.h"

#include <shmem.h>

enum { OPS_PER_BATCH = 50 };

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

struct scratch {
  int unused;
};

static inline struct scratch new_scratch(size_t length) {
  (void)length;
  return (struct scratch){0};
}

static inline void sum_doubles(struct scratch* scratch, int op, double* to, double* from,
                               size_t length) {
  (void)scratch, (void)op;
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, to, from, length);
}

static inline void broadcast_bytes(struct scratch* scratch, int op, void* to, void* from,
                                   size_t bytes) {
  (void)scratch, (void)op;
  shmem_broadcastmem(SHMEM_TEAM_WORLD, to, from, bytes, 0);
}

#else

enum {
  SYNC_WORDS = SHMEM_REDUCE_SYNC_SIZE > SHMEM_BCAST_SYNC_SIZE ? SHMEM_REDUCE_SYNC_SIZE
                                                              : SHMEM_BCAST_SYNC_SIZE
};

struct scratch {
  long* sync;    // symmetric, OPS_PER_BATCH arrays
  double* work;  // symmetric
};

static inline struct scratch new_scratch(size_t length) {
  const size_t least = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  const size_t words = length / 2 + 1 > least ? length / 2 + 1 : least;
  const struct scratch scratch = {
      shmem_malloc(OPS_PER_BATCH * SYNC_WORDS * sizeof(long)),
      shmem_malloc(words * sizeof(double)),
  };
  for (int i = 0; i < OPS_PER_BATCH * SYNC_WORDS; ++i) scratch.sync[i] = SHMEM_SYNC_VALUE;
  return scratch;
}

static inline void sum_doubles(struct scratch* scratch, int op, double* to, double* from,
                               size_t length) {
  shmem_double_sum_to_all(to, from, (int)length, 0, 0, shmem_n_pes(), scratch->work,
                          scratch->sync + op * SYNC_WORDS);
}

// The root's own copy is its own affair: an active-set broadcast leaves it alone.
static inline void broadcast_bytes(struct scratch* scratch, int op, void* to, void* from,
                                   size_t bytes) {
  shmem_broadcast64(to, from, bytes / 8, 0, 0, 0, shmem_n_pes(), scratch->sync + op * SYNC_WORDS);
}

#endif

typedef void collective(struct scratch* scratch, int op, void* to, void* from, size_t bytes);

// Batches of one collective, each ended by a barrier, timed from end to end as rank 0 sees them.
static inline void time_collective(collective* run, const char* name, void* to, void* from,
                                   size_t bytes, size_t batches) {
  struct scratch scratch = new_scratch(bytes / sizeof(double));
  double* samples = new_samples(batches);
  shmem_barrier_all();
  run(&scratch, 0, to, from, bytes);
  shmem_barrier_all();
  int64_t start = now_ns();
  for (size_t i = 0; i < batches; ++i) {
    for (int op = 0; op < OPS_PER_BATCH; ++op) run(&scratch, op, to, from, bytes);
    shmem_barrier_all();
    const int64_t end = now_ns();
    samples[i] = ns_per_op(end - start, OPS_PER_BATCH);
    start = end;
  }
  char full_name[64];
  snprintf(full_name, sizeof full_name, "%s_%d", name, shmem_n_pes());
  if (shmem_my_pe() == 0) report(full_name, "ours", samples, batches);
}

#endif
