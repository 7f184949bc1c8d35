/* Two programs with their variables in opposite order: one job must not mix them. */
#include <shmem.h>

#ifdef SWAPPED
long filler = 1;
long cell = 2;
#else
long cell = 2;
long filler = 1;
#endif

int main(void) {
  shmem_init();
  shmem_long_p(&cell, 100, (shmem_my_pe() + 1) % shmem_n_pes());
  shmem_barrier_all();
  const int good = cell == 100 && filler == 1;
  shmem_finalize();
  return good ? 0 : 3;
}
