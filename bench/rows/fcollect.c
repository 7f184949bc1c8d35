// The blocks of all ranks, one after the other, to all ranks. BYTES is the block of one rank; every
// rank receives n times that size. Usage: fcollect [BYTES] [BATCHES]
#include "collectives.h"

static size_t length;

static long element(size_t rank, size_t i) {
  return (long)(rank << 32 | i);
}

static int right(const void* to) {
  const long* all = to;
  for (size_t rank = 0; rank < (size_t)shmem_n_pes(); ++rank) {
    for (size_t i = 0; i < length; ++i) {
      if (all[rank * length + i] != element(rank, i)) return 0;
    }
  }
  return 1;
}

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  length = bytes / sizeof(long);
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  long* from = shmem_malloc(bytes);
  for (size_t i = 0; i < length; ++i) from[i] = element((size_t)me, i);

  struct collective fcollect = {.name = "fcollect",
                                .run = fcollect_bytes,
                                .right = right,
                                .readiness = EVERY_RANK_HAS_BEGUN,
                                .from = from,
                                .bytes = bytes};
  new_results(&fcollect, bytes * (size_t)shmem_n_pes());
  time_collective(&fcollect, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
