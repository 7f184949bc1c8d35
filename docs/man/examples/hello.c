#include <shmem.h>
#include <stdio.h>

static int visitor = -1;  // every rank has one, and every rank can
                          // write to all of them

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  shmem_int_p(&visitor, me,
              (me + 1) % ranks);  // into the memory of the next rank
  shmem_barrier_all();            // now every value has arrived
  printf("rank %d of %d: rank %d was here\n", me, ranks, visitor);
  const int wrong = visitor != (me + ranks - 1) % ranks;
  shmem_finalize();
  return wrong;
}
