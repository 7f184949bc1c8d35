// The smallest job: what it costs to be one.
#include <shmem.h>
#include <stdio.h>

int main(void) {
  shmem_init();
  printf("hello from %d of %d\n", shmem_my_pe(), shmem_n_pes());
  shmem_finalize();
  return 0;
}
