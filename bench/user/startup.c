// The measurement of `gondwana bench startup`: the times at which the last rank has left shmem_init
// and the first barrier. Rank 0 prints a line for each: nanoseconds of CLOCK_MONOTONIC. Only names
// of OpenSHMEM 1.4 are used, so that other libraries can compile it.
//
// Usage: startup
#include "../common/shmem_job.h"

enum { EVENTS = 2 };

static long latest(const long* of_ranks) {
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
  enter_job(shmem_my_pe(), shmem_n_pes(), shmem_global_exit);
  long* of_ranks = allocate_symmetric((size_t)EVENTS * (size_t)ranks * sizeof *of_ranks);
  for (int i = 0; i < EVENTS; ++i) shmem_long_p(&of_ranks[i * ranks + me], at[i], 0);
  shmem_barrier_all();
  if (me == 0) printf("init %ld\nbarrier %ld\n", latest(of_ranks), latest(&of_ranks[ranks]));
  fflush(stdout);
  end_shmem();
}
