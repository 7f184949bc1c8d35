// Collectives on all ranks, through teams (OpenSHMEM 1.5) or, with an older library, active sets.
// With active sets each call of a batch needs its own work array.
#ifndef GONDWANA_BENCH_COLLECTIVES_H_
#define GONDWANA_BENCH_COLLECTIVES_H_

#include "../common/shmem_job.h"

enum { OPS_PER_BATCH = 50, RESULTS = 2 };

// `bytes` is the contribution of one rank; for alltoall, the block for each rank.
struct call {
  void* to;
  void* from;
  size_t bytes;
  int number;  // index within its batch
};

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5

enum { ROOT_GETS_A_COPY = 1 };

struct scratch {
  int unused;
};

static inline struct scratch new_scratch(size_t bytes) {
  (void)bytes;
  return (struct scratch){0};
}

static inline void sum_doubles(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes / sizeof(double));
}

static inline void broadcast_bytes(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_broadcastmem(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes, 0);
}

static inline void fcollect_bytes(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_fcollectmem(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes);
}

static inline void collect_bytes(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_collectmem(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes);
}

static inline void alltoall_bytes(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_alltoallmem(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes);
}

#else

enum {
  ROOT_GETS_A_COPY = 0,
  // Enough words for any of the collectives.
  SYNC_WORDS = SHMEM_REDUCE_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE +
               SHMEM_ALLTOALL_SYNC_SIZE
};

struct scratch {
  long* sync;             // symmetric, OPS_PER_BATCH arrays
  double* work[RESULTS];  // symmetric
};

static inline struct scratch new_scratch(size_t bytes) {
  const size_t least = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  const size_t half = bytes / sizeof(double) / 2 + 1;
  const size_t words = half > least ? half : least;
  const struct scratch scratch = {
      shmem_malloc(OPS_PER_BATCH * SYNC_WORDS * sizeof(long)),
      {shmem_malloc(words * sizeof(double)), shmem_malloc(words * sizeof(double))},
  };
  for (int i = 0; i < OPS_PER_BATCH * SYNC_WORDS; ++i) scratch.sync[i] = SHMEM_SYNC_VALUE;
  return scratch;
}

static inline long* sync_of(const struct scratch* scratch, const struct call* c) {
  return scratch->sync + c->number * SYNC_WORDS;
}

static inline void sum_doubles(struct scratch* scratch, const struct call* c) {
  shmem_double_sum_to_all(c->to, c->from, (int)(c->bytes / sizeof(double)), 0, 0, ranks,
                          scratch->work[c->number % RESULTS], sync_of(scratch, c));
}

static inline void broadcast_bytes(struct scratch* scratch, const struct call* c) {
  shmem_broadcast64(c->to, c->from, c->bytes / 8, 0, 0, 0, ranks, sync_of(scratch, c));
}

static inline void fcollect_bytes(struct scratch* scratch, const struct call* c) {
  shmem_fcollect64(c->to, c->from, c->bytes / 8, 0, 0, ranks, sync_of(scratch, c));
}

static inline void collect_bytes(struct scratch* scratch, const struct call* c) {
  shmem_collect64(c->to, c->from, c->bytes / 8, 0, 0, ranks, sync_of(scratch, c));
}

static inline void alltoall_bytes(struct scratch* scratch, const struct call* c) {
  shmem_alltoall64(c->to, c->from, c->bytes / 8, 0, 0, ranks, sync_of(scratch, c));
}

#endif

// A call may begin only when its destination is ready on every rank. So calls alternate between two
// destinations. In addition:
enum readiness {
  // A rank that has the result of a call knows that all ranks have begun it, and therefore have
  // ended the previous call. This holds for reductions, fcollect, collect and alltoall, which need
  // nothing between calls.
  EVERY_RANK_HAS_BEGUN = OPS_PER_BATCH,
  // A root or a first rank may be ahead by any number of calls: broadcast, scans. The ranks
  // synchronise after every second call, and so do the processes of the control.
  NOTHING_IS_KNOWN = RESULTS
};

struct collective {
  const char* name;
  void (*run)(struct scratch* scratch, const struct call* call);
  int (*right)(const void* to);  // whether `to` is the correct result on this rank
  enum readiness readiness;      // number of calls between two barriers
  void* to[RESULTS];
  size_t to_bytes;
  void* from;
  size_t bytes;  // as in struct call
};

static inline void run_batch(const struct collective* c, struct scratch* scratch) {
  for (int i = 0; i < OPS_PER_BATCH; ++i) {
    const struct call call = {c->to[i % RESULTS], c->from, c->bytes, i};
    c->run(scratch, &call);
    if ((i + 1) % (int)c->readiness == 0) shmem_barrier_all();
  }
}

// Ends the job if a result is wrong.
static inline void check_results(const struct collective* c) {
  for (int i = 0; i < RESULTS; ++i) {
    if (!c->right(c->to[i])) fail("a wrong result of %s", c->name);
  }
  shmem_barrier_all();
}

static inline void new_results(struct collective* c, size_t bytes) {
  c->to_bytes = bytes;
  for (int i = 0; i < RESULTS; ++i) c->to[i] = shmem_malloc(bytes);
}

// Batches of one collective, each ended by a barrier, timed from end to end by rank 0. The checked
// results are those of the timed calls.
static inline void time_collective(const struct collective* c, size_t batches) {
  struct scratch scratch = new_scratch(c->bytes);
  double* samples = new_samples(batches);
  shmem_barrier_all();
  run_batch(c, &scratch);
  for (int i = 0; i < RESULTS; ++i) memset(c->to[i], 0xa5, c->to_bytes);
  shmem_barrier_all();
  int64_t start = now_ns();
  for (size_t i = 0; i < batches; ++i) {
    run_batch(c, &scratch);
    const int64_t end = now_ns();
    samples[i] = ns_per_op(end - start, OPS_PER_BATCH);
    start = end;
  }
  check_results(c);
  report_ours(me == 0, samples, batches, "%s_%d", c->name, ranks);
}

#endif
