// The framework of the collective measurements, for any library: rounds, controls on mapped memory,
// checks, and output. A program includes it, describes its library, and calls measure_all_ranks().
//
// A barrier follows each broadcast and each sum, so all ranks have the result when the time ends.
// The control does the same with a central barrier and the mapped memory of the ranks, without a
// library. Rank 0 prints a line for each round: measurement, bytes, nanoseconds of one operation
// and of its control, or "-" if a rank does not map all others. If there is a processor for each
// rank, each rank is bound to one.
#ifndef GONDWANA_BENCH_ALL_RANKS_H_
#define GONDWANA_BENCH_ALL_RANKS_H_

#include "../common/barriers.h"

enum { SMALL_OPS = 50, LARGE_BATCH_BYTES = 1 << 20 };

// The shared memory of a rank: a barrier (only rank 0's is used), then source and target.
struct ranks {
  enum wait_kind how;
  char** blocks;  // the block of each rank, as mapped here; NULL: not mapped
  int has_control;
  long* source;
  long* target;
};

typedef void operation(struct ranks* r, size_t words);

struct library {
  operation* barrier;
  operation* broadcast;  // from the source of rank 0; the target of rank 0 is not used
  operation* sum;
};

static inline struct ranks start_ranks(int rank, int count, void (*end)(int status)) {
  enter_job(rank, count, end);
  struct ranks r = {.how = usual_wait(ranks)};
  // Two ranks that spin on one processor would measure its scheduler.
  if (r.how == WAIT_SPIN) pin(me);
  r.blocks = (char**)calloc((size_t)ranks, sizeof *r.blocks);
  return r;
}

static inline size_t block_bytes(size_t largest_words) {
  return sizeof(struct central_barrier) + 2 * largest_words * sizeof(long);
}

static inline long* source_in(char* block) {
  return (long*)(void*)(block + sizeof(struct central_barrier));
}

static inline void plain_barrier(struct ranks* r, size_t words) {
  (void)words;
  central_wait((struct central_barrier*)(void*)r->blocks[0], (uint32_t)ranks, r->how);
}

// The first barrier ensures that the sources are ready.
static inline void plain_broadcast(struct ranks* r, size_t words) {
  plain_barrier(r, 0);
  if (me != 0) memcpy(r->target, source_in(r->blocks[0]), words * sizeof *r->target);
  plain_barrier(r, 0);
}

static inline void plain_sum(struct ranks* r, size_t words) {
  long* target = r->target;
  plain_barrier(r, 0);
  memcpy(target, source_in(r->blocks[0]), words * sizeof *target);
  for (int rank = 1; rank < ranks; ++rank) {
    const long* source = source_in(r->blocks[rank]);
    for (size_t i = 0; i < words; ++i) target[i] += source[i];
  }
  plain_barrier(r, 0);
}

static inline int is_copy(const struct ranks* r, size_t words) {
  for (size_t i = 0; me != 0 && i < words; ++i) {
    if (r->target[i] != (long)i) return 0;
  }
  return 1;
}

static inline int is_sum(const struct ranks* r, size_t words) {
  const long count = ranks;
  for (size_t i = 0; i < words; ++i) {
    if (r->target[i] != count * (long)i + count * (count - 1) / 2) return 0;
  }
  return 1;
}

struct measurement {
  const char* name;
  operation* ours;
  operation* control;
  int (*is_right)(const struct ranks* r, size_t words);  // NULL: the operation moves nothing
};

static inline double time_of(operation* run, struct ranks* r, const struct library* library,
                             size_t words, size_t ops) {
  library->barrier(r, 0);
  const int64_t start = now_ns();
  for (size_t i = 0; i < ops; ++i) run(r, words);
  return ns_per_op(now_ns() - start, ops);
}

static inline void check(const struct measurement* m, operation* run, struct ranks* r,
                         const struct library* library, size_t words) {
  const size_t bytes = words * sizeof *r->target;
  memset(r->target, 0, bytes);
  library->barrier(r, 0);
  run(r, words);
  if (m->is_right != NULL && !m->is_right(r, words))
    fail("a wrong result of %s of %zu bytes", m->name, bytes);
}

static inline size_t ops_of_a_batch(size_t bytes) {
  if (bytes <= LARGE_BATCH_BYTES / SMALL_OPS) return SMALL_OPS;
  return bytes < LARGE_BATCH_BYTES ? LARGE_BATCH_BYTES / bytes : 1;
}

static inline void measure(const struct measurement* m, struct ranks* r,
                           const struct library* library, size_t words, size_t rounds) {
  const size_t bytes = words * sizeof *r->target;
  const size_t ops = ops_of_a_batch(bytes);
  check(m, m->ours, r, library, words);
  if (r->has_control) check(m, m->control, r, library, words);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_of(m->ours, r, library, words, ops);
    const double control = r->has_control ? time_of(m->control, r, library, words, ops) : 0;
    if (me == 0) print_round(m->name, bytes, ours, r->has_control ? control : -1);
  }
  fflush(stdout);
}

// All ranks must agree: if one of them does not map another rank, none has a control.
static inline void agree_on_control(struct ranks* r, const struct library* library) {
  r->source[0] = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (r->blocks[rank] == NULL) r->source[0] = 1;
  }
  library->barrier(r, 0);
  library->sum(r, 1);
  r->has_control = r->target[0] == 0;
}

// Requires `blocks` to be filled in.
static inline void measure_all_ranks(struct ranks* r, const struct library* library, size_t rounds,
                                     size_t smallest, size_t largest) {
  const struct measurement measurements[] = {
      {"barrier", library->barrier, plain_barrier, NULL},
      {"broadcast", library->broadcast, plain_broadcast, is_copy},
      {"sum", library->sum, plain_sum, is_sum},
  };
  memset(r->blocks[me], 0, block_bytes(largest));
  r->source = source_in(r->blocks[me]);
  r->target = r->source + largest;
  agree_on_control(r, library);
  for (size_t i = 0; i < largest; ++i) r->source[i] = (long)i + me;
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; ++i) {
    const struct measurement* m = &measurements[i];
    if (m->is_right == NULL) {
      measure(m, r, library, 0, rounds);
      continue;
    }
    for (size_t words = smallest; words <= largest; words *= 2)
      measure(m, r, library, words, rounds);
  }
  library->barrier(r, 0);
  free((void*)r->blocks);
}

// The arguments: collectives GROUP ROUNDS SMALLEST LARGEST. Sizes are in words.
struct request {
  size_t rounds;
  size_t smallest;
  size_t largest;
};

static inline struct request request_of(int argc, char** argv) {
  return (struct request){argument(argc, argv, 2, 20),
                          argument(argc, argv, 3, sizeof(long)) / sizeof(long),
                          argument(argc, argv, 4, 1 << 20) / sizeof(long)};
}

#endif
