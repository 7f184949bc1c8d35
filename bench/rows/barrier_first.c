// The first barriers of a job and as many that follow, which are the control: the mean of each, at
// rank 0. Each job gives one sample. Usage: barrier_first [BARRIERS]
#include "../common/measure.h"

#include <shmem.h>

static double* time_barriers(size_t count) {
  double* mean = new_samples(1);
  const int64_t start = now_ns();
  for (size_t i = 0; i < count; ++i) shmem_barrier_all();
  *mean = ns_per_op(now_ns() - start, count);
  return mean;
}

int main(int argc, char** argv) {
  const size_t count = argument(argc, argv, 1, 2000);
  shmem_init();
  pin_if_asked(shmem_my_pe());
  double* first = time_barriers(count);
  double* next = time_barriers(count);
  report_both(shmem_my_pe() == 0, first, next, 1, "barrier_first_%d", shmem_n_pes());
  shmem_finalize();
  return 0;
}
