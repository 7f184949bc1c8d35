// The latency of a barrier of all ranks (gex_Coll_BarrierNB and a wait), measured by rank 0, and
// the longest sample. A sample is the mean of BATCH barriers.
// Usage: gasnet_barrier [BATCH] [SAMPLES]
#include "gasnet_job.h"

int main(int argc, char** argv) {
  const size_t batch = argument(argc, argv, 1, 1);
  const size_t count = argument(argc, argv, 2, 1000);
  const struct job job = start_job(NULL, 0, GASNET_PAGESIZE);
  double* samples = new_samples(count);
  double* longest = new_samples(1);
  for (size_t i = 0; i < (count / 10 + 1) * batch; ++i) meet(&job);  // warm up
  for (size_t i = 0; i < count; ++i) {
    const int64_t start = now_ns();
    for (size_t j = 0; j < batch; ++j) meet(&job);
    samples[i] = ns_per_op(now_ns() - start, batch);
    if (samples[i] > *longest) *longest = samples[i];
  }
  report_ours(job.rank == 0, samples, count, "gasnet_barrier_%u", job.ranks);
  report_ours(job.rank == 0, longest, 1, "gasnet_barrier_longest_%u", job.ranks);
  end_job(&job);
}
