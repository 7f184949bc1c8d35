// The sum of a vector of doubles over all ranks up to the own rank. The ranks meet after every
// second call: the first rank depends on no other and may be ahead. Usage: scan [BYTES] [BATCHES]
#include "collectives.h"

static size_t length;

static void inclusive(struct scratch* scratch, const struct call* c) {
  (void)scratch;
  shmem_double_sum_inscan(SHMEM_TEAM_WORLD, c->to, c->from, c->bytes / sizeof(double));
}

static int right(const void* to) {
  const double* sums = to;
  const int me = shmem_my_pe();
  for (size_t i = 0; i < length; ++i) {
    if (sums[i] != (double)(i * (size_t)(me + 1)) + me * (me + 1) / 2.0) return 0;
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

  struct collective scan = {.name = "sum_inscan",
                            .run = inclusive,
                            .right = right,
                            .readiness = NOTHING_IS_KNOWN,
                            .from = from,
                            .bytes = bytes};
  new_results(&scan, bytes);
  time_collective(&scan, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
