// Puts, gets and accumulates of 8 MiB by process 0 in an array of process 1. The controls are
// memcpy to private pages of the same size, and a loop of additions. Usage: ga_bulk
#include "ga_job.h"

enum { SAMPLES = 40, BYTES = 8 << 20, ELEMENTS = BYTES / 8 };

static double* here;
static double* other;
static int lo[1] = {ELEMENTS};
static int hi[1] = {2 * ELEMENTS - 1};
static int ld[1] = {ELEMENTS};
static double one = 1;

static void put(int array) {
  NGA_Put(array, lo, hi, here, ld);
}

static void get(int array) {
  NGA_Get(array, lo, hi, here, ld);
}

static void accumulate(int array) {
  NGA_Acc(array, lo, hi, here, ld, &one);
}

static void copy_there(int array) {
  (void)array;
  memcpy(other, here, BYTES);
}

static void copy_here(int array) {
  (void)array;
  memcpy(here, other, BYTES);
}

static void add(int array) {
  (void)array;
  for (size_t i = 0; i < ELEMENTS; ++i) other[i] += one * here[i];
}

static void measure(const char* name, void (*ours)(int), void (*control)(int), int array) {
  TIME_BOTH(1, SAMPLES, 1, ours(array), control(array), "%s", name);
}

int main(int argc, char** argv) {
  start_job(&argc, &argv);
  int dims[1] = {2 * ELEMENTS};
  char name[] = "bulk";
  const int array = NGA_Create(C_DBL, 1, dims, name, NULL);
  require(array != 0 && ranks == 2, "two processes, and an array");
  GA_Zero(array);
  here = calloc(ELEMENTS, sizeof *here);
  other = calloc(ELEMENTS, sizeof *other);
  require(here != NULL && other != NULL, "no memory");
  for (size_t i = 0; i < ELEMENTS; ++i) here[i] = other[i] = (double)i;
  GA_Sync();
  if (me == 0) {
    measure("ga_put_8M", put, copy_there, array);
    measure("ga_get_8M", get, copy_here, array);
    measure("ga_acc_8M", accumulate, add, array);
  }
  GA_Sync();
  free(other);
  free(here);
  end_job();
  return 0;
}
