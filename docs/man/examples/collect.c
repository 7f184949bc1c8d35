#include <shmem.h>

int main(void) {
  int wrong = 0;
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const size_t most = (size_t)(ranks * (ranks + 1) / 2);
  int* mine = shmem_malloc((size_t)ranks * sizeof(int));
  int* all = shmem_malloc(most * sizeof(int));
  for (int i = 0; i <= me; ++i)
    mine[i] = me;  // PE 0 gives one, PE 1 two ...
  shmem_int_collect(SHMEM_TEAM_WORLD, all, mine, (size_t)(me + 1));
  int at = 0;
  for (int pe = 0; pe < ranks; ++pe)
    for (int i = 0; i <= pe; ++i) wrong |= all[at++] != pe;
  shmem_free(all);
  shmem_free(mine);
  shmem_finalize();
  return wrong;
}
