// The rate of put_nbi of 8 bytes from rank 0 to cells of rank 1, one after the other, with one
// quiet per batch. One control is a bare loop of stores, which no library can match. The other is a
// function called through the PLT that checks a range, the least that a library can do. Usage:
// put_nbi
#include "pairs.h"

#include "../control/plt.h"

enum { BATCHES = 400, OPS = 1000, CELL_BYTES = 4096, CELLS = CELL_BYTES / sizeof(long) };

// A source must stay unchanged until the quiet.
static long values[OPS];

static void ours(const struct cells* c, size_t ops) {
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

static const struct pair pairs[] = {
    {"put_nbi", ours, stores},
    {"put_nbi_call", ours, calls},
};

// Runs one more batch with other values and checks each cell.
static void check(const struct cells* c) {
  for (size_t i = 0; i < OPS; ++i) values[i] = -(long)i - 1;
  ours(c, OPS);
  for (size_t cell = 0; cell < CELLS; ++cell) {
    const size_t last = cell + (OPS - 1 - cell) / CELLS * CELLS;
    if (shmem_long_g(c->symmetric + cell, c->peer) == values[last]) continue;
    fprintf(stderr, "put_nbi: cell %zu is not what was put last\n", cell);
    shmem_global_exit(1);
  }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* symmetric = shmem_calloc(1, CELL_BYTES);
  if (me == 0) {
    const int peer = shmem_n_pes() - 1;
    void* mapped = mapped_or_private(symmetric, CELL_BYTES, peer);
    const struct cells cells = {symmetric, mapped, peer};
    plt_window(mapped, CELL_BYTES);
    for (size_t i = 0; i < OPS; ++i) values[i] = (long)i;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
      run_pair(&pairs[i], &cells, BATCHES, OPS, 1);
    check(&cells);
  }
  shmem_barrier_all();
  shmem_free(symmetric);
  shmem_finalize();
  return 0;
}
