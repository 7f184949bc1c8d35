// The STREAM triad, a = b + s c, by all ranks at once on vectors in their heaps, which
// GONDWANA_PREFAULT may have placed: the time of one pass. With "one" rank 0 writes to all pages
// first, so that they are on its NUMA domain. Usage: stream NAME [one]
#include "../common/shmem_job.h"

enum { LENGTH = 4 << 20, PASSES = 10, SAMPLES = 5 };

static void fill(double* vector, double value) {
  for (size_t i = 0; i < LENGTH; ++i) vector[i] = value;
}

static void fill_all(double* vector, double value) {
  for (int pe = 0; pe < ranks; ++pe) {
    double* theirs = shmem_ptr(vector, pe);
    require(theirs != NULL, "a heap is not mapped here");
    fill(theirs, value);
  }
}

static double pass(double* a, const double* b, const double* c) {
  shmem_barrier_all();
  const int64_t start = now_ns();
  for (int i = 0; i < PASSES; ++i) {
    for (size_t k = 0; k < LENGTH; ++k) a[k] = b[k] + 3.0 * c[k];
    keep_results();
  }
  shmem_barrier_all();
  return ns_per_op(now_ns() - start, PASSES);
}

int main(int argc, char** argv) {
  start_shmem();
  require(argc > 1, "usage: stream NAME [one]");
  const int by_one = argc > 2;
  double* vectors[3];
  for (int i = 0; i < 3; ++i) {
    vectors[i] = shmem_malloc(LENGTH * sizeof(double));
    require(vectors[i] != NULL, "the symmetric heap is too small");
    if (!by_one) fill(vectors[i], i);
    if (by_one && me == 0) fill_all(vectors[i], i);
  }
  double* samples = new_samples(SAMPLES);
  for (int i = 0; i < SAMPLES; ++i) samples[i] = pass(vectors[0], vectors[1], vectors[2]);
  require(vectors[0][LENGTH - 1] == 7.0, "a sum is wrong");
  report_ours(me == 0, samples, SAMPLES, "%s", argv[1]);
  end_shmem();
}
