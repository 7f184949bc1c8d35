#include <shmem.h>

static long words[4];

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int next = (me + 1) % shmem_n_pes();
  long* theirs = shmem_ptr(words, next);
  for (long i = 0; i < 4; ++i) {
    if (theirs != NULL)
      theirs[i] = me + i;  // an ordinary store
    else
      shmem_long_p(&words[i], me + i, next);
  }
  shmem_barrier_all();  // completes both
  const int before = (me + shmem_n_pes() - 1) % shmem_n_pes();
  const int wrong = words[0] != before || words[3] != before + 3;
  shmem_finalize();
  return wrong;
}
