// The operations of irregular programs, on all ranks at once: random atomic updates (GUPS), a
// histogram of skewed bins, random reads (indexgather), and operations that wait for each value.
// Each is checked. Usage: network_updates name, the last part of the names of the figures
#include "network.h"

enum { WORDS = 1 << 12, BINS = 64, OPS = 20000, WAITING = 500, ROUNDS = 7 };

static uint64_t* table;
static long* bins;
static long values[OPS];
static const char* suffix = "gathered";

static uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static uint64_t seed(void) {
  return (uint64_t)(me + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static int owner_of(uint64_t random) {
  return (int)((random >> 40) % (uint64_t)ranks);
}

static void run_gups(int count) {
  uint64_t state = seed();
  for (int i = 0; i < count; ++i) {
    const uint64_t random = next_random(&state);
    shmem_uint64_atomic_xor(&table[random % WORDS], random, owner_of(random));
  }
}

static void run_histogram(int count) {
  uint64_t state = seed();
  for (int i = 0; i < count; ++i) {
    const uint64_t random = next_random(&state);
    shmem_long_atomic_inc(&bins[random % BINS & (random >> 32) % BINS], owner_of(random));
  }
}

static void run_gather(int count) {
  uint64_t state = seed();
  for (int i = 0; i < count; ++i) {
    const uint64_t random = next_random(&state);
    shmem_long_get_nbi(&values[i], (long*)&table[random % WORDS], 1, owner_of(random));
  }
  shmem_quiet();
}

static void run_get(int count) {
  uint64_t state = seed();
  for (int i = 0; i < count; ++i) {
    const uint64_t random = next_random(&state);
    values[i] = shmem_long_g((long*)&table[random % WORDS], owner_of(random));
  }
}

static void run_compare_swap(int count) {
  uint64_t state = seed();
  for (int i = 0; i < count; ++i) {
    const uint64_t random = next_random(&state);
    shmem_uint64_atomic_compare_swap(&table[random % WORDS], 0, 0, owner_of(random));
  }
}

// A round ends when the operations of all ranks are complete.
static void measure(const char* name, void (*run)(int), int count) {
  double* samples = new_samples(ROUNDS);
  run(count);
  for (int round = 0; round < ROUNDS; ++round) {
    shmem_barrier_all();
    const int64_t start = now_ns();
    run(count);
    shmem_barrier_all();
    samples[round] = ns_per_op(now_ns() - start, (size_t)count);
  }
  report_ours(me == 0, samples, ROUNDS, "network_%s_%s", name, suffix);
}

// An even number of equal rounds of exclusive or restores the table.
static void check(void) {
  for (int i = 0; i < WORDS; ++i)
    require(table[i] == (uint64_t)i, "an update of the table is missing");
  long sum = 0;
  for (int pe = 0; pe < ranks; ++pe)
    for (int bin = 0; bin < BINS; ++bin) sum += shmem_long_g(&bins[bin], pe);
  require(sum == (long)OPS * (ROUNDS + 1) * ranks, "an addition to a bin is missing");
}

static void check_gathered(void) {
  uint64_t state = seed();
  for (int i = 0; i < OPS; ++i)
    require(values[i] == (long)(next_random(&state) % WORDS), "a value that was read is wrong");
}

int main(int argc, char** argv) {
  start_shmem();
  if (argc > 1) suffix = argv[1];
  table = allocate_symmetric(WORDS * sizeof *table);
  bins = allocate_symmetric(BINS * sizeof *bins);
  for (int i = 0; i < WORDS; ++i) table[i] = (uint64_t)i;
  shmem_barrier_all();
  measure("gups", run_gups, OPS);
  measure("histogram", run_histogram, OPS);
  shmem_barrier_all();
  check();
  measure("indexgather", run_gather, OPS);
  check_gathered();
  measure("get_one", run_get, WAITING);
  measure("compare_swap", run_compare_swap, WAITING);
  end_shmem();
}
