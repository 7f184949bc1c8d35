#include <shmem.h>

static int from;

int main(void) {
  int wrong = 0;
  shmem_init();
  from = -1;
  shmem_sync_all();   // nobody writes before all have set it
  shmem_team_t even;  // PEs 0, 2, 4 ... of the world
  const int size = (shmem_n_pes() + 1) / 2;
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, size, NULL, 0,
                               &even) != 0)
    shmem_global_exit(1);
  if (even != SHMEM_TEAM_INVALID) {
    const int me = shmem_team_my_pe(even);
    const int next = shmem_team_translate_pe(even, (me + 1) % size,
                                             SHMEM_TEAM_WORLD);
    shmem_int_p(&from, me, next);  // a put counts in the world
    shmem_quiet();
    shmem_team_sync(even);
    wrong = from != (me + size - 1) % size;
    shmem_team_destroy(even);
  }
  shmem_finalize();
  return wrong;
}
