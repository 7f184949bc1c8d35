#include <shmem.h>

int main(void) {
  int wrong = 0;
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  int* row = shmem_malloc((size_t)ranks * sizeof(int));
  int* column = shmem_malloc((size_t)ranks * sizeof(int));
  for (int i = 0; i < ranks; ++i) row[i] = 100 * me + i;
  shmem_int_alltoall(SHMEM_TEAM_WORLD, column, row, 1);
  for (int i = 0; i < ranks; ++i) wrong |= column[i] != 100 * i + me;
  shmem_free(column);
  shmem_free(row);
  shmem_finalize();
  return wrong;
}
