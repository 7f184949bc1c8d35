// The measurement of `gondwana bench startup`: the times at which the last rank has left shmem_init
// and the first barrier. Rank 0 prints a line for each: nanoseconds of CLOCK_MONOTONIC. Only names
// of OpenSHMEM 1.4 are used, so that other libraries can compile it.
//
// Usage: startup
#include "../common/measure.h"

#include <shmem.h>

enum { EVENTS = 2 };

static long latest(const long* of_ranks, int ranks) {
  long most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (of_ranks[rank] > most) most = of_ranks[rank];
  }
  return most;
}

int main(void) {
  long at[EVENTS];
  shmem_init();
  at[0] = now_ns();
  shmem_barrier_all();
  at[1] = now_ns();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  long* of_ranks = shmem_malloc((size_t)EVENTS * (size_t)ranks * sizeof *of_ranks);
  if (of_ranks == NULL) shmem_global_exit(1);
  for (int i = 0; i < EVENTS; ++i) shmem_long_p(&of_ranks[i * ranks + me], at[i], 0);
  shmem_barrier_all();
  if (me == 0)
    printf("init %ld\nbarrier %ld\n", latest(of_ranks, ranks), latest(&of_ranks[ranks], ranks));
  fflush(stdout);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
