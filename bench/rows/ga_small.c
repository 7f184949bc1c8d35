// Puts, gets and accumulates of 8 bytes by process 0 in an array of process 1, with one array and
// with 990, compared with the same calls over an ARMCI that does nothing. Read_inc, compared with a
// locked instruction; a mutex, compared with two; creation and destruction of 2 MiB, compared with
// mmap and first touch. Usage: ga_small
#include "ga_job.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { BATCHES = 100, OPS = 2000, CREATIONS = 100, MANY = 990, BYTES = 2 << 20 };

typedef void batch(int array);

static double value = 1.5;
static int there[1];

static void puts8(int array) {
  for (int i = 0; i < OPS; ++i) NGA_Put(array, there, there, &value, there);
}

static void gets8(int array) {
  for (int i = 0; i < OPS; ++i) NGA_Get(array, there, there, &value, there);
}

static void accumulates8(int array) {
  double one = 1;
  for (int i = 0; i < OPS; ++i) NGA_Acc(array, there, there, &value, there, &one);
}

static void without_armci(batch* ours, int array) {
  armci_is_off = 1;
  ours(array);
  armci_is_off = 0;
}

static void measure(const char* name, batch* ours, int array) {
  TIME_BOTH(1, BATCHES, OPS, ours(array), without_armci(ours, array), "%s", name);
}

static int new_array(int type, int64_t elements) {
  int dims[1] = {(int)elements};
  char name[] = "row";
  const int array = NGA_Create(type, 1, dims, name, NULL);
  require(array != 0, "no array");
  return array;
}

static void measure_all(int array, const char* with) {
  static const struct {
    const char* name;
    batch* ours;
  } ways[] = {{"put", puts8}, {"get", gets8}, {"acc", accumulates8}};
  for (int i = 0; i < 3; ++i) {
    char name[64];
    snprintf(name, sizeof name, "ga_%s_8%s", ways[i].name, with);
    measure(name, ways[i].ours, array);
  }
}

static void measure_atomics(int counter) {
  static _Atomic long word;
  double* inc_ns = new_samples(BATCHES);
  double* xadd_ns = new_samples(BATCHES);
  double* lock_ns = new_samples(BATCHES);
  double* two_ns = new_samples(BATCHES);
  int at[1] = {1};
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    for (int k = 0; k < OPS; ++k) NGA_Read_inc(counter, at, 1);
    const int64_t incremented = now_ns();
    for (int k = 0; k < OPS; ++k) {
      GA_Lock(0);
      GA_Unlock(0);
    }
    const int64_t locked = now_ns();
    for (int k = 0; k < OPS; ++k) atomic_fetch_add(&word, 1);
    const int64_t added = now_ns();
    for (int k = 0; k < 2 * OPS; ++k) atomic_fetch_add(&word, 1);
    two_ns[i] = ns_per_op(now_ns() - added, OPS);
    xadd_ns[i] = ns_per_op(added - locked, OPS);
    lock_ns[i] = ns_per_op(locked - incremented, OPS);
    inc_ns[i] = ns_per_op(incremented - start, OPS);
  }
  report_both(1, inc_ns, xadd_ns, BATCHES, "ga_read_inc");
  report_both(1, lock_ns, two_ns, BATCHES, "ga_lock");
}

static void touch_new_pages(void) {
  char* pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  require(pages != MAP_FAILED, "no pages");
  for (size_t i = 0; i < BYTES; i += 4096) pages[i] = 1;
  munmap(pages, BYTES);
}

// 2 MiB in total; both processes take part.
static void measure_creation(void) {
  double* ours_ns = new_samples(CREATIONS);
  double* control_ns = new_samples(CREATIONS);
  for (int i = 0; i < CREATIONS; ++i) {
    GA_Sync();
    const int64_t start = now_ns();
    GA_Destroy(new_array(C_DBL, BYTES / 8));
    const int64_t middle = now_ns();
    touch_new_pages();
    control_ns[i] = (double)(now_ns() - middle);
    ours_ns[i] = (double)(middle - start);
  }
  if (me != 0) return;
  report_both(1, ours_ns, control_ns, CREATIONS, "ga_create_2M");
}

int main(int argc, char** argv) {
  start_job(&argc, &argv);
  const int array = new_array(C_DBL, 1000);
  const int counter = new_array(C_LONG, 2);
  GA_Zero(array);
  GA_Zero(counter);
  require(GA_Create_mutexes(1) != 0, "no mutex");
  there[0] = 999;
  if (me == 0) {
    measure_all(array, "");
    measure_atomics(counter);
  }
  GA_Sync();
  measure_creation();
  static int many[MANY];
  for (int i = 0; i < MANY; ++i) many[i] = new_array(C_DBL, 1000);
  if (me == 0) measure_all(many[MANY - 1], "_of_990");
  GA_Sync();
  for (int i = 0; i < MANY; ++i) GA_Destroy(many[i]);
  GA_Destroy_mutexes();
  end_job();
  return 0;
}
