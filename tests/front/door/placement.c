/* placement: the library moves a rank to a processor of its own, and the rank may still run on all
 * processors on which it could run before. */
#define _GNU_SOURCE
#include <sched.h>
#include <shmem.h>
#include <stdio.h>

int main(void) {
  cpu_set_t before;
  cpu_set_t after;
  if (sched_getaffinity(0, sizeof(before), &before) != 0) return 2;
  shmem_init();
  if (sched_getaffinity(0, sizeof(after), &after) != 0) return 2;
  const int same = CPU_EQUAL(&before, &after);
  if (!same) fprintf(stderr, "rank %d: another set of processors\n", shmem_my_pe());
  shmem_finalize();
  return same ? 0 : 1;
}
