#include <shmem.h>

int work(int finalizes);

int work(int finalizes) {
  shmem_init();
  long* counter = shmem_calloc(1, sizeof *counter);
  shmem_long_atomic_inc(counter, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  const int good = *counter == 1;
  if (finalizes) shmem_finalize();
  return good;
}
