#include <shmem.h>

enum { most = 64 };
static long answers[most];

int main(void) {
  int wrong = 0;
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  if (ranks > most) shmem_global_exit(1);
  if (me != 0) shmem_long_atomic_set(&answers[me], 1000 + me, 0);
  if (me == 0) {
    int done[most] = {1};  // nothing comes from PE 0 itself
    for (int left = ranks - 1; left > 0; --left) {
      const size_t from = shmem_long_wait_until_any(
          answers, (size_t)ranks, done, SHMEM_CMP_NE, 0);
      wrong |= answers[from] != 1000 + (long)from;
      done[from] = 1;
    }
  }
  shmem_finalize();
  return wrong;
}
