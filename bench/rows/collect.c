// Like fcollect, but no rank knows how much the others contribute: even ranks 1.5 BYTES, odd ranks
// BYTES / 2. On an even number of ranks the volume is the same as in fcollect.
// Usage: collect [BYTES] [BATCHES]
#include "collectives.h"

static size_t usual_length;

static size_t length_of(size_t rank) {
  return rank % 2 == 0 ? usual_length + usual_length / 2 : usual_length - usual_length / 2;
}

static long element(size_t rank, size_t i) {
  return (long)(rank << 32 | i);
}

static int right(const void* to) {
  const long* next = to;
  for (size_t rank = 0; rank < (size_t)shmem_n_pes(); ++rank) {
    for (size_t i = 0; i < length_of(rank); ++i) {
      if (*next++ != element(rank, i)) return 0;
    }
  }
  return 1;
}

int main(int argc, char** argv) {
  const size_t bytes = argument(argc, argv, 1, 64 << 10);
  usual_length = bytes / sizeof(long);
  shmem_init();
  const size_t me = (size_t)shmem_my_pe();
  pin_if_asked((int)me);
  long* from = shmem_malloc(2 * bytes);  // of one size everywhere, as symmetric memory must be
  for (size_t i = 0; i < length_of(me); ++i) from[i] = element(me, i);

  struct collective collect = {.name = "collect",
                               .run = collect_bytes,
                               .right = right,
                               .readiness = EVERY_RANK_HAS_BEGUN,
                               .from = from,
                               .bytes = length_of(me) * sizeof(long)};
  new_results(&collect, bytes * (size_t)(shmem_n_pes() + 1));
  time_collective(&collect, argument(argc, argv, 2, 40));
  shmem_finalize();
  return 0;
}
