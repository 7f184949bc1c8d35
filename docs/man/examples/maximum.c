#include <shmem.h>

static long largest;  // the one of PE 0 counts

static void raise_to(long value) {
  long seen = shmem_long_atomic_fetch(&largest, 0);
  while (seen < value) {
    const long found =
        shmem_long_atomic_compare_swap(&largest, seen, value, 0);
    if (found == seen) return;  // nobody came in between
    seen = found;
  }
}

int main(void) {
  shmem_init();
  raise_to(100 + shmem_my_pe());
  shmem_barrier_all();
  const int wrong = shmem_long_g(&largest, 0) != 99 + shmem_n_pes();
  shmem_finalize();
  return wrong;
}
