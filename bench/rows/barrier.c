// The latency of barrier_all, measured by rank 0. A sample is the mean of BATCH barriers, before
// which rank 0 computes for PAUSE us. With "first": the mean of the first BARRIERS of a job, and of
// as many that follow, which are the control. Usage: barrier [BATCH] [SAMPLES] [PAUSE] | first
// BARRIERS
#include "../common/shmem_job.h"

static void pass(size_t barriers) {
  for (size_t i = 0; i < barriers; ++i) shmem_barrier_all();
}

static void time_batches(size_t batch, size_t count, size_t pause) {
  double* samples = new_samples(count);
  pass((count / 10 + 1) * batch);  // warm up
  for (size_t i = 0; i < count; ++i) {
    if (me == 0) compute_us(pause);
    const int64_t start = now_ns();
    pass(batch);
    samples[i] = ns_per_op(now_ns() - start, batch);
  }
  report_ours(me == 0, samples, count, "barrier_%s_%d", pause > 0 ? "bursts" : "all", ranks);
}

int main(int argc, char** argv) {
  const size_t second = argument(argc, argv, 2, 1000);
  start_shmem();
  if (argc > 1 && strcmp(argv[1], "first") == 0)
    TIME_BOTH(me == 0, 1, second, pass(second), pass(second), "barrier_first_%d", ranks);
  else
    time_batches(argument(argc, argv, 1, 1), second, argument(argc, argv, 3, 0));
  end_shmem();
}
