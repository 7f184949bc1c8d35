// The measurements of `gondwana bench` for OpenSHMEM: puts, gets, streams of puts and atomic
// operations from rank 0 to the last rank, each in alternating batches with a control on the same
// memory: memcpy, or the instruction itself. It prints a line for each round: measurement, bytes,
// nanoseconds of one operation, those of the control. Without a mapping of the target there is no
// control, and the last column is "-". Only names of OpenSHMEM 1.4 are used, so that other
// libraries can compile it. Usage: transfers latency|stream|atomics ROUNDS SMALLEST LARGEST
#include "../common/measure.h"

#include <shmem.h>
#include <stdatomic.h>

enum { SMALL_OPS = 1000, LARGE_BATCH_BYTES = 8 << 20, WINDOW = 64, SMALL_WINDOW_BYTES = 8 << 10 };

// The memory of one measurement. `mapped` is the target as this process sees it, or NULL.
struct target {
  char* symmetric;
  char* mapped;
  char* local;
  int peer;
};

typedef void batch(const struct target* t, size_t bytes, size_t ops);

static void keep_copies(void) {
  __asm__ volatile("" ::: "memory");  // or the compiler may keep only the last one
}

static void put(const struct target* t, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_putmem(t->symmetric, t->local, bytes, t->peer);
    shmem_quiet();
  }
}

static void copy_there(const struct target* t, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    memcpy(t->mapped, t->local, bytes);
    keep_copies();
  }
}

static void get(const struct target* t, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_getmem(t->local, t->symmetric, bytes, t->peer);
}

static void copy_here(const struct target* t, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    memcpy(t->local, t->mapped, bytes);
    keep_copies();
  }
}

static void stream(const struct target* t, size_t bytes, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_putmem_nbi(t->symmetric, t->local, bytes, t->peer);
    if (i % WINDOW == WINDOW - 1) shmem_quiet();
  }
  shmem_quiet();
}

static void fetch_add(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i)
    (void)shmem_long_atomic_fetch_add((long*)(void*)t->symmetric, 1, t->peer);
}

static void add(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) shmem_long_atomic_add((long*)(void*)t->symmetric, 1, t->peer);
  shmem_quiet();
}

static void swap(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i)
    (void)shmem_long_atomic_swap((long*)(void*)t->symmetric, (long)i, t->peer);
}

static void compare_swap(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i)
    (void)shmem_long_atomic_compare_swap((long*)(void*)t->symmetric, 0, 1, t->peer);
}

static _Atomic long* word_of(const struct target* t) {
  return (_Atomic long*)(void*)t->mapped;
}

static void add_here(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)atomic_fetch_add(word_of(t), 1);
}

static void swap_here(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) (void)atomic_exchange(word_of(t), (long)i);
}

static void compare_swap_here(const struct target* t, size_t bytes, size_t ops) {
  (void)bytes;
  for (size_t i = 0; i < ops; ++i) {
    long expected = 0;
    (void)atomic_compare_exchange_strong(word_of(t), &expected, 1);
  }
}

struct measurement {
  const char* group;
  const char* name;
  batch* ours;
  batch* control;
};

static const struct measurement measurements[] = {
    {"latency", "put", put, copy_there},
    {"latency", "get", get, copy_here},
    {"stream", "put_nbi", stream, copy_there},
    {"atomics", "fetch_add", fetch_add, add_here},
    {"atomics", "add", add, add_here},
    {"atomics", "swap", swap, swap_here},
    {"atomics", "compare_swap", compare_swap, compare_swap_here},
};

static double time_of(batch* run, const struct target* t, size_t bytes, size_t ops) {
  const int64_t start = now_ns();
  run(t, bytes, ops);
  return ns_per_op(now_ns() - start, ops);
}

static size_t ops_of_a_batch(size_t bytes) {
  if (bytes <= SMALL_WINDOW_BYTES) return SMALL_OPS;
  const size_t ops = LARGE_BATCH_BYTES / bytes;
  return ops > 0 ? ops : 1;
}

static void measure(const struct measurement* m, const struct target* t, size_t bytes,
                    size_t rounds) {
  const size_t ops = ops_of_a_batch(bytes);
  m->ours(t, bytes, ops);
  if (t->mapped != NULL) m->control(t, bytes, ops);
  for (size_t round = 0; round < rounds; ++round) {
    printf("%s %zu %.3f ", m->name, bytes, time_of(m->ours, t, bytes, ops));
    if (t->mapped != NULL)
      printf("%.3f\n", time_of(m->control, t, bytes, ops));
    else
      puts("-");
  }
  fflush(stdout);
}

// The last bytes that were put must be there.
static void check(const struct target* t, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) t->local[i] = (char)(i % 127 + 1);
  put(t, bytes, 1);
  memset(t->local, 0, bytes);
  get(t, bytes, 1);
  for (size_t i = 0; i < bytes; ++i) {
    if (t->local[i] == (char)(i % 127 + 1)) continue;
    fprintf(stderr, "transfers: byte %zu of %zu is not the one that was put\n", i, bytes);
    shmem_global_exit(1);
  }
}

static void measure_group(const char* group, const struct target* t, size_t rounds, size_t smallest,
                          size_t largest) {
  for (size_t i = 0; i < sizeof measurements / sizeof *measurements; ++i) {
    const struct measurement* m = &measurements[i];
    if (strcmp(m->group, group) != 0) continue;
    for (size_t bytes = smallest; bytes <= largest; bytes *= 2) measure(m, t, bytes, rounds);
  }
  check(t, largest);
}

int main(int argc, char** argv) {
  const char* group = argc > 1 ? argv[1] : "latency";
  const int is_atomic = strcmp(group, "atomics") == 0;
  const size_t rounds = argument(argc, argv, 2, 20);
  const size_t smallest = is_atomic ? sizeof(long) : argument(argc, argv, 3, 1);
  const size_t largest = is_atomic ? sizeof(long) : argument(argc, argv, 4, 1 << 20);
  shmem_init();
  char* symmetric = shmem_malloc(largest);
  char* local = aligned_alloc(4096, (largest + 4095) / 4096 * 4096);
  if (symmetric == NULL || local == NULL) {
    fprintf(stderr, "transfers: no memory for %zu bytes on each rank; ask for fewer with -m\n",
            largest);
    shmem_global_exit(1);
  }
  memset(symmetric, 0, largest);
  memset(local, 1, largest);
  shmem_barrier_all();
  const int peer = shmem_n_pes() - 1;
  if (shmem_my_pe() == 0) {
    const struct target target = {symmetric, shmem_ptr(symmetric, peer), local, peer};
    measure_group(group, &target, rounds, smallest, largest);
  }
  shmem_barrier_all();
  free(local);
  shmem_free(symmetric);
  shmem_finalize();
  return 0;
}
