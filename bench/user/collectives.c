// The measurements of `gondwana bench collectives`: a barrier, a broadcast from rank 0 and a sum
// over all ranks. A barrier follows each broadcast and each sum, so all ranks have the result when
// the time ends. The control does the same with a central barrier and the mapped memory of the
// ranks, without a library. Rank 0 prints a line for each round: measurement, bytes, nanoseconds of
// one operation, those of the control, or "-" if a rank is not mapped. Only names of OpenSHMEM 1.4
// are used, so that other libraries can compile it.
// Usage: collectives collectives ROUNDS SMALLEST LARGEST
#include "../common/barriers.h"

#include <shmem.h>

enum { SMALL_OPS = 50, LARGE_BATCH_BYTES = 1 << 20 };

static int me;
static int ranks;
static enum wait_kind how;
static struct central_barrier* central;  // of rank 0, as this process sees it
static long* source;
static long* target;
static long* work;            // of the sum
static const long** sources;  // of all ranks; NULL: not all are mapped
static long* broadcast_sync;
static long* reduce_sync;

typedef void operation(size_t words);

static void barrier(size_t words) {
  (void)words;
  shmem_barrier_all();
}

static void broadcast(size_t words) {
  shmem_broadcast64(target, source, words, 0, 0, 0, ranks, broadcast_sync);
  shmem_barrier_all();
}

static void sum(size_t words) {
  shmem_long_sum_to_all(target, source, (int)words, 0, 0, ranks, work, reduce_sync);
  shmem_barrier_all();
}

static void plain_barrier(size_t words) {
  (void)words;
  central_wait(central, (uint32_t)ranks, how);
}

// The first barrier tells that the sources are ready.
static void plain_broadcast(size_t words) {
  plain_barrier(0);
  if (me != 0) memcpy(target, sources[0], words * sizeof *target);
  plain_barrier(0);
}

static void plain_sum(size_t words) {
  plain_barrier(0);
  memcpy(target, sources[0], words * sizeof *target);
  for (int rank = 1; rank < ranks; ++rank) {
    for (size_t i = 0; i < words; ++i) target[i] += sources[rank][i];
  }
  plain_barrier(0);
}

static int is_copy(size_t words) {
  for (size_t i = 0; me != 0 && i < words; ++i) {  // the target of the root is left as it was
    if (target[i] != (long)i) return 0;
  }
  return 1;
}

static int is_sum(size_t words) {
  for (size_t i = 0; i < words; ++i) {
    if (target[i] != ranks * (long)i + (long)ranks * (ranks - 1) / 2) return 0;
  }
  return 1;
}

struct measurement {
  const char* name;
  operation* ours;
  operation* control;
  int (*is_right)(size_t words);  // NULL: it moves nothing
};

static const struct measurement measurements[] = {
    {"barrier", barrier, plain_barrier, NULL},
    {"broadcast", broadcast, plain_broadcast, is_copy},
    {"sum", sum, plain_sum, is_sum},
};

static double time_of(operation* run, size_t words, size_t ops) {
  shmem_barrier_all();
  const int64_t start = now_ns();
  for (size_t i = 0; i < ops; ++i) run(words);
  return ns_per_op(now_ns() - start, ops);
}

static void check(const struct measurement* m, operation* run, size_t words) {
  memset(target, 0, words * sizeof *target);
  shmem_barrier_all();
  run(words);
  if (m->is_right == NULL || m->is_right(words)) return;
  fprintf(stderr, "collectives: rank %d has a wrong result of %s of %zu bytes\n", me, m->name,
          words * sizeof *target);
  shmem_global_exit(1);
}

static size_t ops_of_a_batch(size_t bytes) {
  if (bytes <= LARGE_BATCH_BYTES / SMALL_OPS) return SMALL_OPS;
  return bytes < LARGE_BATCH_BYTES ? LARGE_BATCH_BYTES / bytes : 1;
}

static void measure(const struct measurement* m, size_t words, size_t rounds) {
  const size_t bytes = words * sizeof *target;
  const size_t ops = ops_of_a_batch(bytes);
  check(m, m->ours, words);
  if (sources != NULL) check(m, m->control, words);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_of(m->ours, words, ops);
    const double control = sources != NULL ? time_of(m->control, words, ops) : 0;
    if (me != 0) continue;
    printf("%s %zu %.3f ", m->name, bytes, ours);
    if (sources != NULL)
      printf("%.3f\n", control);
    else
      puts("-");
  }
  fflush(stdout);
}

static void* allocate(size_t bytes) {
  void* memory = shmem_malloc(bytes);
  if (memory == NULL) {
    fprintf(stderr, "collectives: no memory for %zu bytes on each rank; ask for fewer with -m\n",
            bytes);
    shmem_global_exit(1);
  }
  memset(memory, 0, bytes);
  return memory;
}

static long* allocate_sync(size_t words) {
  long* sync = allocate(words * sizeof *sync);
  for (size_t i = 0; i < words; ++i) sync[i] = SHMEM_SYNC_VALUE;
  return sync;
}

// All ranks must agree: if one of them cannot see another, no rank has a control.
static void find_sources(void) {
  central = shmem_ptr(central, 0);
  sources = (const long**)calloc((size_t)ranks, sizeof *sources);
  source[0] = central == NULL || sources == NULL;
  for (int rank = 0; source[0] == 0 && rank < ranks; ++rank) {
    sources[rank] = shmem_ptr(source, rank);
    source[0] = sources[rank] == NULL;
  }
  sum(1);
  if (target[0] == 0) return;
  free((void*)sources);
  sources = NULL;
}

int main(int argc, char** argv) {
  const size_t rounds = argument(argc, argv, 2, 20);
  const size_t smallest = argument(argc, argv, 3, sizeof(long)) / sizeof(long);
  const size_t largest = argument(argc, argv, 4, 1 << 20) / sizeof(long);
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  how = usual_wait(ranks);
  // On one processor, two ranks that spin would measure its scheduler.
  if (how == WAIT_SPIN) pin(me);
  const size_t least_work = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  source = allocate(largest * sizeof *source);
  target = allocate(largest * sizeof *target);
  work = allocate((largest / 2 + 1 + least_work) * sizeof *work);
  central = allocate(sizeof *central);
  broadcast_sync = allocate_sync(SHMEM_BCAST_SYNC_SIZE);
  reduce_sync = allocate_sync(SHMEM_REDUCE_SYNC_SIZE);
  shmem_barrier_all();
  find_sources();
  for (size_t i = 0; i < largest; ++i) source[i] = (long)i + me;
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; ++i) {
    const struct measurement* m = &measurements[i];
    if (m->is_right == NULL) {
      measure(m, 0, rounds);
      continue;
    }
    for (size_t words = smallest; words <= largest; words *= 2) measure(m, words, rounds);
  }
  shmem_barrier_all();
  free((void*)sources);
  shmem_finalize();
  return 0;
}
