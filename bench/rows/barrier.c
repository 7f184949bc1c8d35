// The latency of barrier_all, measured by rank 0. A sample is the mean of BATCH barriers, before
// which rank 0 computes for PAUSE us. Usage: barrier [BATCH] [SAMPLES] [PAUSE]
#include "../common/measure.h"

#include <shmem.h>

int main(int argc, char** argv) {
  const size_t batch = argument(argc, argv, 1, 1);
  const size_t count = argument(argc, argv, 2, 1000);
  const size_t pause = argument(argc, argv, 3, 0);
  shmem_init();
  pin_if_asked(shmem_my_pe());
  double* samples = new_samples(count);
  for (size_t i = 0; i < (count / 10 + 1) * batch; ++i) shmem_barrier_all();  // warm up
  for (size_t i = 0; i < count; ++i) {
    if (shmem_my_pe() == 0) compute_us(pause);
    const int64_t start = now_ns();
    for (size_t j = 0; j < batch; ++j) shmem_barrier_all();
    samples[i] = ns_per_op(now_ns() - start, batch);
  }
  char name[64];
  snprintf(name, sizeof name, "barrier_%s_%d", pause > 0 ? "bursts" : "all", shmem_n_pes());
  if (shmem_my_pe() == 0) report(name, "ours", samples, count);
  shmem_finalize();
  return 0;
}
