/* place [child|status N]: every rank prints its number and the size of the job. Rank 1 then starts
 * itself as a child, or exits with a status. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  shmem_init();
  const int me = shmem_my_pe();
  printf("rank %d of %d\n", me, shmem_n_pes());
  fflush(stdout);
  if (me == 1 && strcmp(how, "child") == 0 && system(argv[0]) != 0) shmem_global_exit(9);
  shmem_finalize();
  return me == 1 && strcmp(how, "status") == 0 ? atoi(argv[2]) : 0;
}
