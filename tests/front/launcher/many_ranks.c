/* More ranks than files that hold their arenas: every rank reaches every other one. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

static long variable; /* on the arena, like the heap */

static void expect(long seen, long wanted, int from) {
  if (seen == wanted) return;
  fprintf(stderr, "rank %d: %ld from rank %d, not %ld\n", shmem_my_pe(), seen, from, wanted);
  shmem_global_exit(1);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  long* words = shmem_calloc((size_t)ranks, sizeof(long));
  for (int to = 0; to < ranks; ++to) {
    shmem_long_p(&words[me], me + 1, to);
    shmem_long_atomic_add(&variable, 1, to);
  }
  shmem_barrier_all();
  for (int from = 0; from < ranks; ++from) expect(words[from], from + 1, from);
  for (int from = 0; from < ranks; ++from) {
    const long* there = shmem_ptr(&variable, from);
    expect(there != NULL ? *there : -1, ranks, from);
    expect(shmem_long_g(&words[ranks - 1], from), ranks, from);
  }
  shmem_barrier_all();
  if (me == 0) printf("%d ranks\n", ranks);
  shmem_finalize();
  return 0;
}
