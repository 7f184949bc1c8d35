#include <shmem.h>

static long lock;           // 0 everywhere: free
static long amount, entry;  // those of PE 0 belong together

int main(void) {
  shmem_init();
  for (int i = 0; i < 100; ++i) {
    shmem_set_lock(&lock);
    shmem_long_p(&amount, shmem_long_g(&amount, 0) + 5, 0);
    shmem_long_p(&entry, shmem_long_g(&entry, 0) + 1, 0);
    shmem_clear_lock(&lock);  // both have arrived before it is free
  }
  shmem_barrier_all();
  const long entries = shmem_long_g(&entry, 0);
  const int wrong = entries != 100L * shmem_n_pes() ||
                    shmem_long_g(&amount, 0) != 5 * entries;
  shmem_finalize();
  return wrong;
}
