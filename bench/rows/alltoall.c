// A block of every rank to every rank. BYTES is the sum that one rank sends; a block has BYTES / n.
// Usage: alltoall [BYTES] [BATCHES]
#include "collectives.h"

static size_t block;  // in elements

static long element(size_t from, size_t to, size_t i) {
  return (long)(from << 48 | to << 32 | i);
}

static int right(const void* to) {
  const long* blocks = to;
  for (size_t rank = 0; rank < (size_t)shmem_n_pes(); ++rank) {
    for (size_t i = 0; i < block; ++i) {
      if (blocks[rank * block + i] != element(rank, (size_t)shmem_my_pe(), i)) return 0;
    }
  }
  return 1;
}

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  shmem_init();
  const int me = shmem_my_pe();
  pin_if_asked(me);
  const size_t n = (size_t)shmem_n_pes();
  block = bytes / sizeof(long) / n;
  long* from = shmem_malloc(bytes);
  for (size_t to = 0; to < n; ++to) {
    for (size_t i = 0; i < block; ++i) from[to * block + i] = element((size_t)me, to, i);
  }

  struct collective alltoall = {.name = "alltoall",
                                .run = alltoall_bytes,
                                .right = right,
                                .readiness = EVERY_RANK_HAS_BEGUN,
                                .from = from,
                                .bytes = block * sizeof(long)};
  new_results(&alltoall, bytes);
  time_collective(&alltoall, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
