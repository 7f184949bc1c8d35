#include <shmem.h>

static long count, begin;

int main(void) {
  shmem_init();
  const long me = shmem_my_pe();
  count = me + 1;  // how many entries this PE has
  shmem_long_sum_exscan(SHMEM_TEAM_WORLD, &begin, &count, 1);
  const int wrong = begin != me * (me + 1) / 2;
  shmem_finalize();
  return wrong;
}
