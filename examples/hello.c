// The smallest OpenSHMEM program: every rank prints its number, and the number that its left-hand
// neighbour has written into its memory.
#include <shmem.h>
#include <stdio.h>

// A global variable is symmetric: it exists in every rank, and every rank can access all of them.
static int visitor = -1;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();

  shmem_p(&visitor, me, (me + 1) % ranks);
  shmem_barrier_all();  // after this, all writes have arrived

  printf("rank %d of %d: hello; rank %d left its number here\n", me, ranks, visitor);
  shmem_finalize();
  return 0;
}
