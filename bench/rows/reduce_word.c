// The sum of one double over all ranks, in alternating batches with barrier_all of the same library
// on the same ranks: a small reduction should cost no more than the barrier. Each sum implies that
// every rank has begun, so two alternating destinations need no further synchronization.
// Usage: reduce_word [BATCHES]
#include "collectives.h"

enum { USUAL_BATCHES = 100 };

// The caller gives each batch different values, so a result of an earlier batch is wrong.
static void sum_batch(struct scratch* scratch, double* to, double* from) {
  for (int i = 0; i < OPS_PER_BATCH; ++i) {
    const struct call call = {to + i % RESULTS, from, sizeof *to, i};
    sum_doubles(scratch, &call);
  }
}

static void barrier_batch(void) {
  for (int i = 0; i < OPS_PER_BATCH; ++i) shmem_barrier_all();
}

static void check(const double* to, size_t batch) {
  const double sum = ranks * (double)batch + ranks * (ranks - 1) / 2.0;
  if (to[0] != sum || to[1] != sum) fail("%g and %g are not %g", to[0], to[1], sum);
}

int main(int argc, char** argv) {
  const size_t batches = argument(argc, argv, 1, USUAL_BATCHES);
  start_shmem();
  struct scratch scratch = new_scratch(sizeof(double));
  double* from = allocate_symmetric(LINE_PAIR);
  double* to = allocate_symmetric(LINE_PAIR);
  double* ours = new_samples(batches);
  double* control = new_samples(batches);
  for (size_t i = 0; i < batches; ++i) {
    *from = (double)(i + (size_t)me);
    shmem_barrier_all();
    const int64_t start = now_ns();
    sum_batch(&scratch, to, from);
    const int64_t middle = now_ns();
    barrier_batch();
    control[i] = ns_per_op(now_ns() - middle, OPS_PER_BATCH);
    ours[i] = ns_per_op(middle - start, OPS_PER_BATCH);
    check(to, i);
  }
  report_both(me == 0, ours, control, batches, "reduce_word_%d", ranks);
  end_shmem();
}
