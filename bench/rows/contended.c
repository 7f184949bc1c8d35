// fetch_add by two ranks at once on one word of rank 0, compared with a function called through the
// PLT. The ranks meet before each batch. A batch is long, so that both contend even when one starts
// late.
#include "pairs.h"

#include "../control/plt.h"

enum { BATCHES = 50, OPS = 20000, CELL_BYTES = 4096 };

static void ours(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)shmem_long_atomic_fetch_add(c->symmetric, 1, c->peer);
}

static void control(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i) (void)plt_fetch_add(c->mapped, 1);
}

int main(void) {
  start_shmem();
  long* symmetric = allocate_symmetric(CELL_BYTES);
  void* mapped = mapped_or_private(symmetric, CELL_BYTES, 0);
  const struct cells cells = {symmetric, mapped, 0};
  plt_window(mapped, CELL_BYTES);

  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (int i = 0; i < BATCHES; ++i) {
    shmem_barrier_all();
    time_batch(ours, &cells, OPS, &ours_ns[i]);
    shmem_barrier_all();
    time_batch(control, &cells, OPS, &control_ns[i]);
  }
  report_both(me == 0, ours_ns, control_ns, BATCHES, "fetch_add_contended");
  end_shmem();
}
