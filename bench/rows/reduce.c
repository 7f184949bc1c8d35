// The sum of a vector of doubles over all ranks, to all ranks. Usage: reduce [BYTES] [BATCHES]
#include "collectives.h"

static size_t length;

static int right(const void* to) {
  const double* sums = to;
  const int n = shmem_n_pes();
  for (size_t i = 0; i < length; ++i) {
    if (sums[i] != (double)(i * (size_t)n) + n * (n - 1) / 2.0) return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  length = bytes / sizeof(double);
  shmem_init();
  pin_if_asked(shmem_my_pe());
  double* from = shmem_malloc(bytes);
  for (size_t i = 0; i < length; ++i) from[i] = (double)(i + (size_t)shmem_my_pe());

  struct collective sum = {.name = "sum_reduce",
                           .run = sum_doubles,
                           .right = right,
                           .readiness = EVERY_RANK_HAS_BEGUN,
                           .from = from,
                           .bytes = bytes};
  new_results(&sum, bytes);
  time_collective(&sum, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
