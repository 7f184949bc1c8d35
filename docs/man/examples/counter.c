#include <shmem.h>

static long next_task;  // the one of PE 0 counts

int main(void) {
  enum { tasks = 1000 };
  static long done, total;
  shmem_init();
  while (shmem_long_atomic_fetch_inc(&next_task, 0) < tasks)
    ++done;  // no task is given out twice
  shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &done, 1);
  const int wrong = total != tasks;
  shmem_finalize();
  return wrong;
}
