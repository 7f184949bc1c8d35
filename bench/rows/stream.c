// The STREAM triad, a = b + s c, by all ranks at once on vectors in their heaps, which
// GONDWANA_PREFAULT may have placed: the time of one pass. With "one" rank 0 writes to all pages
// first, so that they are on its NUMA domain. Usage: stream NAME [one]
#include "../common/measure.h"

#include <shmem.h>

enum { LENGTH = 4 << 20, PASSES = 10, SAMPLES = 5 };

static void fill(double* vector, double value) {
  for (size_t i = 0; i < LENGTH; ++i) vector[i] = value;
}

static void fill_all(double* vector, double value) {
  for (int pe = 0; pe < shmem_n_pes(); ++pe) {
    double* theirs = shmem_ptr(vector, pe);
    if (theirs == NULL) shmem_global_exit(1);
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
  if (argc < 2) return 1;
  shmem_init();
  const int by_one = argc > 2;
  double* vectors[3];
  for (int i = 0; i < 3; ++i) {
    vectors[i] = shmem_malloc(LENGTH * sizeof(double));
    if (vectors[i] == NULL) shmem_global_exit(1);
    if (!by_one) fill(vectors[i], i);
    if (by_one && shmem_my_pe() == 0) fill_all(vectors[i], i);
  }
  double* samples = new_samples(SAMPLES);
  for (int i = 0; i < SAMPLES; ++i) samples[i] = pass(vectors[0], vectors[1], vectors[2]);
  if (vectors[0][LENGTH - 1] != 7.0) shmem_global_exit(1);
  report_ours(shmem_my_pe() == 0, samples, SAMPLES, "%s", argv[1]);
  shmem_finalize();
  return 0;
}
