// A histogram of random numbers in bins that are distributed over the ranks: an atomic increment
// for each number.
#ifndef GONDWANA_BENCH_APPS_HISTOGRAM_H_
#define GONDWANA_BENCH_APPS_HISTOGRAM_H_

#include "app.h"

enum { THROWS = 400000, BINS = 4096 };

static long* own_bins;
static long* all_bins;  // for the serial program

static uint64_t throw_number(long i) {
  uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1);
  return next_number(&state) % BINS;
}

static void begin_histogram(void) {
  own_bins = allocate_symmetric((BINS / (size_t)ranks + 1) * sizeof *own_bins);
  all_bins = allocate_private(BINS * sizeof *all_bins);
}

// Bins are assigned to ranks in turn. Each rank clears its own bins, and counts when all ranks have
// done so.
static void histogram(void) {
  memset(own_bins, 0, (BINS / (size_t)ranks + 1) * sizeof *own_bins);
  shmem_barrier_all();
  for (long i = first_of(THROWS, me); i < first_of(THROWS, me + 1); ++i) {
    const uint64_t bin = throw_number(i);
    shmem_long_atomic_inc(&own_bins[bin / (uint64_t)ranks], (int)(bin % (uint64_t)ranks));
  }
  shmem_quiet();
}

static void serial_histogram(void) {
  memset(all_bins, 0, BINS * sizeof *all_bins);
  for (long i = 0; i < THROWS; ++i) ++all_bins[throw_number(i)];
}

static int is_counted(void) {
  for (long bin = me; bin < BINS; bin += ranks) {
    if (own_bins[bin / ranks] != all_bins[bin]) return 0;
  }
  return 1;
}

static void end_histogram(void) {
  free(all_bins);
  shmem_free(own_bins);
}

#endif
