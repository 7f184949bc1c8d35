// The sum of a vector of doubles over all ranks, to all ranks. Usage: reduce [BYTES] [BATCHES]
#include "collectives.h"

static void sum(struct scratch* scratch, int op, void* to, void* from, size_t bytes) {
  sum_doubles(scratch, op, to, from, bytes / sizeof(double));
}

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  const size_t batches = argument(argc, argv, 2, 40);
  shmem_init();
  pin_if_asked(shmem_my_pe());
  double* from = shmem_malloc(bytes);
  double* to = shmem_malloc(bytes);
  const size_t length = bytes / sizeof(double);
  for (size_t i = 0; i < length; ++i) from[i] = (double)(i + (size_t)shmem_my_pe());

  time_collective(sum, "sum_reduce", to, from, bytes, batches);

  const int n = shmem_n_pes();
  for (size_t i = 0; i < length; ++i) {
    if (to[i] == (double)(i * (size_t)n) + n * (n - 1) / 2.0) continue;
    fprintf(stderr, "reduce: element %zu is %g: a wrong sum\n", i, to[i]);
    shmem_global_exit(1);
  }
  shmem_finalize();
  return 0;
}
