// The time that an operation takes to arrive if its rank makes no further call. Rank 0 posts a few
// puts, the last of which are batched, and computes. The last rank waits for the last put and
// compares clocks. Then the same is measured for a put, a fence and a put of a flag, which leave at
// once.
#include "network.h"

enum { TRIES = 2000, PUTS = 8, PAUSE_US = 1000 };

static void post_many(long* cells, int peer) {
  for (int i = 1; i < PUTS; ++i) shmem_long_p(cells + i, i, peer);
  shmem_long_p(cells, (long)now_ns(), peer);
}

static void post_two(long* cells, int peer) {
  shmem_long_p(cells + 1, 1, peer);
  shmem_fence();
  shmem_long_p(cells, (long)now_ns(), peer);
}

static void measure(const char* name, void (*post)(long*, int), long* cells) {
  const int peer = ranks - 1;
  double* samples = new_samples(TRIES);
  long last = cells[0];
  for (int i = 0; i < TRIES; ++i) {
    shmem_barrier_all();
    if (me == 0) {
      post(cells, peer);
      compute_us(PAUSE_US);
    } else if (me == peer) {
      shmem_long_wait_until(cells, SHMEM_CMP_NE, last);
      last = cells[0];
      samples[i] = (double)(now_ns() - last);
    }
  }
  shmem_barrier_all();
  if (me != peer) return;
  qsort(samples, TRIES, sizeof *samples, ascending);
  double* p99 = new_samples(1);
  *p99 = samples[TRIES * 99 / 100];
  report_ours(1, samples, TRIES, "network_%s", name);
  report_ours(1, p99, 1, "network_%s_p99", name);
}

int main(void) {
  start_shmem();
  long* cells = allocate_symmetric(PUTS * sizeof *cells);
  measure("left", post_many, cells);
  measure("one_way", post_two, cells);
  end_shmem();
}
