// GA_Sync of all processes, and Read_inc on one element by all at once: the time of one. Figures
// ga_sync_N and ga_read_inc_N. Usage: ga_sync
#include "ga_job.h"

enum { BATCHES = 50, SYNCS = 200, OPS = 5000 };

static void measure_sync(void) {
  double* samples = new_samples(BATCHES);
  for (int batch = 0; batch < BATCHES; ++batch) {
    GA_Sync();
    const int64_t start = now_ns();
    for (int i = 0; i < SYNCS; ++i) GA_Sync();
    samples[batch] = ns_per_op(now_ns() - start, SYNCS);
  }
  report_ours(me == 0, samples, BATCHES, "ga_sync_%d", ranks);
}

static void measure_read_inc(int counter) {
  int at[1] = {0};
  double* samples = new_samples(BATCHES);
  for (int batch = 0; batch < BATCHES; ++batch) {
    GA_Sync();
    const int64_t start = now_ns();
    for (int i = 0; i < OPS; ++i) NGA_Read_inc(counter, at, 1);
    samples[batch] = ns_per_op(now_ns() - start, OPS);
  }
  GA_Sync();
  const long found = NGA_Read_inc(counter, at, 0);
  require(found == (long)BATCHES * OPS * ranks, "an increment is missing");
  report_ours(me == 0, samples, BATCHES, "ga_read_inc_%d", ranks);
}

int main(int argc, char** argv) {
  start_job(&argc, &argv);
  int dims[1] = {1};
  char name[] = "counter";
  const int counter = NGA_Create(C_LONG, 1, dims, name, NULL);
  require(counter != 0, "no array");
  GA_Zero(counter);
  measure_sync();
  measure_read_inc(counter);
  end_job();
  return 0;
}
