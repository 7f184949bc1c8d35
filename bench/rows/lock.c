// set_lock and clear_lock by a rank without contention, compared with two fetch-and-adds on a word
// of the same memory. Usage: lock
#include "pairs.h"

#include <stdatomic.h>

enum { BATCHES = 400, OPS = 1000, CELL_BYTES = 4096 };

static void ours(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) {
    shmem_set_lock(c->symmetric);
    shmem_clear_lock(c->symmetric);
  }
}

static void control(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < 2 * ops; ++i)
    atomic_fetch_add_explicit(c->mapped, 1, memory_order_seq_cst);
}

// The last rank must get the lock only after rank 0 released it; otherwise the job ends.
static void check(long* lock) {
  const int me = shmem_my_pe();
  const int last = shmem_n_pes() - 1;
  if (me == 0) shmem_set_lock(lock);
  shmem_barrier_all();
  const int refused = me != last || shmem_test_lock(lock) != 0;
  shmem_barrier_all();
  if (me == 0) shmem_clear_lock(lock);
  shmem_barrier_all();
  const int given = me != last || shmem_test_lock(lock) == 0;
  if (me == last && given) shmem_clear_lock(lock);
  if (refused && given) return;
  fprintf(stderr, "lock: rank %d %s\n", me, refused ? "did not get it" : "got it from its holder");
  shmem_global_exit(1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* lock = shmem_calloc(1, CELL_BYTES);
  _Atomic long* word = shmem_calloc(1, CELL_BYTES);
  if (me == 0) {
    const struct cells cells = {lock, word, 0};
    const struct pair pair = {"lock", ours, control};
    run_pair(&pair, &cells, BATCHES, OPS, 1);
  }
  check(lock);
  shmem_barrier_all();
  shmem_free(word);
  shmem_free(lock);
  shmem_finalize();
  return 0;
}
