// p through the default context where every thread may call (SHMEM_THREAD_MULTIPLE), compared with
// a function called through the PLT that checks a range and stores. Usage: multiple
#include "pairs.h"

#include "../control/plt.h"

enum { BATCHES = 400, OPS = 1000, CELL_BYTES = 4096 };

static void ours(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) shmem_long_p(c->symmetric, (long)i + 1, c->peer);
  shmem_quiet();
}

static void control(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) plt_store(c->mapped, -1);
}

int main(void) {
  int provided = 0;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
  if (provided != SHMEM_THREAD_MULTIPLE) {
    fputs("multiple: skipped: the library does not provide SHMEM_THREAD_MULTIPLE\n", stderr);
    shmem_global_exit(77);
  }
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* symmetric = shmem_calloc(1, CELL_BYTES);
  if (me == 0) {
    const int peer = shmem_n_pes() - 1;
    void* mapped = mapped_or_private(symmetric, CELL_BYTES, peer);
    const struct cells cells = {symmetric, mapped, peer};
    const struct pair p = {"p_multiple", ours, control};
    plt_window(mapped, CELL_BYTES);
    run_pair(&p, &cells, BATCHES, OPS, 1);
    ours(&cells, OPS);
    if (shmem_long_g(symmetric, peer) != OPS) {
      fputs("multiple: the last value put is not there\n", stderr);
      shmem_global_exit(1);
    }
  }
  shmem_barrier_all();
  shmem_free(symmetric);
  shmem_finalize();
  return 0;
}
