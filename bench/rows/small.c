// p, g, put and get of 8 bytes and fetch_add from rank 0 to rank 1, each compared with a function
// called through the PLT that checks a range and does the same, the least that a library can do;
// the cost of reading the flag of a sleeper after each store; a lock without contention, compared
// with two fetch-and-adds; and put_nbi to cells of rank 1, one after the other, with one quiet per
// batch, also compared with a bare loop of stores, which no library can match. With "multiple": p
// where every thread may call (SHMEM_THREAD_MULTIPLE). Usage: small [multiple]
#include "pairs.h"

#include "../control/plt.h"

enum { BATCHES = 400, OPS = 1000, CELL_BYTES = 4096, FLAG_AT = 2048 };
enum { CELLS = CELL_BYTES / sizeof(long) };

// A source of put_nbi must stay unchanged until the quiet.
static long values[OPS];

static void ours_p(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_long_p(c->symmetric, (long)i, c->peer);
  shmem_quiet();
}

static void control_p(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_store(c->mapped, (long)i);
}

static void ours_g(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_g(c->symmetric, c->peer);
}

static void control_g(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)plt_load(c->mapped);
}

static void ours_put8(const struct cells* c, size_t ops) {
  long value = 7;
  for (size_t i = 0; i < ops; ++i) shmem_put64(c->symmetric, &value, 1, c->peer);
  shmem_quiet();
}

static void control_put8(const struct cells* c, size_t ops) {
  long value = 7;
  for (size_t i = 0; i < ops; ++i) plt_put8(c->mapped, &value);
}

static void ours_get8(const struct cells* c, size_t ops) {
  long value = 0;
  for (size_t i = 0; i < ops; ++i) shmem_get64(&value, c->symmetric, 1, c->peer);
}

static void control_get8(const struct cells* c, size_t ops) {
  long value = 0;
  for (size_t i = 0; i < ops; ++i) plt_get8(&value, c->mapped);
}

static void ours_fetch_add(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_atomic_fetch_add(c->symmetric, 1, c->peer);
}

static void control_fetch_add(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)plt_fetch_add(c->mapped, 1);
}

static void store_and_look(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_store_and_look(c->mapped, (long)i);
}

static long lock;  // symmetric

static void ours_lock(const struct cells* c, size_t ops) {
  (void)c;
  for (size_t i = 0; i < ops; ++i) {
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
  }
}

static void control_lock(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < 2 * ops; ++i)
    atomic_fetch_add_explicit(c->mapped, 1, memory_order_seq_cst);
}

// The last rank must get the lock only after rank 0 released it; otherwise the job ends.
static void check_lock(void) {
  const int last = ranks - 1;
  if (me == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  const int refused = me != last || shmem_test_lock(&lock) != 0;
  shmem_barrier_all();
  if (me == 0) shmem_clear_lock(&lock);
  shmem_barrier_all();
  const int given = me != last || shmem_test_lock(&lock) == 0;
  if (me == last && given) shmem_clear_lock(&lock);
  require(given, "got no lock");
  require(refused, "got the lock from its holder");
}

static void ours_put_nbi(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    shmem_put64_nbi(c->symmetric + i % CELLS, &values[i], 1, c->peer);
  shmem_quiet();
}

// Atomic, so that the compiler keeps each store and does not vectorize them.
static void stores(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    atomic_store_explicit(c->mapped + i % CELLS, values[i], memory_order_relaxed);
}

static void calls(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_put8(c->mapped + i % CELLS, &values[i]);
}

static const struct pair of_any_thread = {"p_multiple", ours_p, control_p};
static const struct pair pairs[] = {
    {"p", ours_p, control_p},
    {"g", ours_g, control_g},
    {"put8", ours_put8, control_put8},
    {"get8", ours_get8, control_get8},
    {"fetch_add", ours_fetch_add, control_fetch_add},
    {"flag_check", store_and_look, control_p},
    {"lock", ours_lock, control_lock},
    {"put_nbi", ours_put_nbi, stores},  // the flag is set for this and later rows
    {"put_nbi_call", ours_put_nbi, calls},
};

// Runs one more batch of each put, the last one with other values.
static void check(const struct cells* c) {
  ours_p(c, OPS);
  require(shmem_long_g(c->symmetric, c->peer) == OPS - 1, "p: not what was put last");
  for (size_t i = 0; i < OPS; ++i) values[i] = -(long)i - 1;
  ours_put_nbi(c, OPS);
  for (size_t cell = 0; cell < CELLS; ++cell) {
    const size_t last = cell + (OPS - 1 - cell) / CELLS * CELLS;
    require(shmem_long_g(c->symmetric + cell, c->peer) == values[last],
            "put_nbi: not what was put last");
  }
}

int main(int argc, char** argv) {
  const int any_thread = argc > 1 && strcmp(argv[1], "multiple") == 0;
  if (any_thread)
    start_shmem_threads();
  else
    start_shmem();
  long* symmetric = allocate_symmetric(CELL_BYTES);
  if (me == 0) {
    const int peer = ranks - 1;
    char* mapped = mapped_or_private(symmetric, CELL_BYTES, peer);
    const struct cells cells = {symmetric, (_Atomic long*)(void*)mapped, peer};
    plt_window(mapped, CELL_BYTES);
    plt_flag((const _Atomic int*)(void*)(mapped + FLAG_AT));
    for (size_t i = 0; i < OPS; ++i) values[i] = (long)i;
    if (any_thread) run_pair(&of_any_thread, &cells, BATCHES, OPS, 1);
    for (size_t i = 0; !any_thread && i < sizeof pairs / sizeof *pairs; ++i)
      run_pair(&pairs[i], &cells, BATCHES, OPS, 1);
    check(&cells);
  }
  check_lock();
  end_shmem();
}
