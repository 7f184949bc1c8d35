// 128 KiB in pieces of 64 bytes, scattered over four times that memory: ibput to the last rank, on
// another node, and quiet; ibget from there.
#include "network.h"

enum { BYTES = 128 << 10, WORDS_IN_PIECE = 8, STRIDE = 4 * WORDS_IN_PIECE, BATCHES = 40, OPS = 5 };
enum { PIECES = BYTES / 8 / WORDS_IN_PIECE, WORDS = PIECES * STRIDE };

typedef void operation(long* symmetric, int peer);

static long* local;

static void put(long* symmetric, int peer) {
  shmem_ibput64(symmetric, local, STRIDE, STRIDE, WORDS_IN_PIECE, PIECES, peer);
  shmem_quiet();
}

static void get(long* symmetric, int peer) {
  shmem_ibget64(local, symmetric, STRIDE, STRIDE, WORDS_IN_PIECE, PIECES, peer);
}

static void time_batches(const char* name, operation* run, long* symmetric, int peer) {
  TIME_OURS(1, 1, BATCHES, OPS, for (int j = 0; j < OPS; ++j) run(symmetric, peer), "%s", name);
}

static void fill(long* words, long (*value)(long i)) {
  for (long i = 0; i < WORDS; ++i) words[i] = value(i);
}

static long own_number(long i) {
  return i;
}

static long none(long i) {
  (void)i;
  return -1;
}

static int has_arrived(const long* words) {
  for (long i = 0; i < WORDS; ++i)
    if (words[i] != (i % STRIDE < WORDS_IN_PIECE ? i : -1)) return 0;
  return 1;
}

static void measure(void* symmetric, int peer) {
  time_batches("network_strided", put, symmetric, peer);
  fill(local, none);
  time_batches("network_strided_get", get, symmetric, peer);
  require(has_arrived(local), "pieces did not come");
}

int main(void) {
  start_shmem();
  long* symmetric = allocate_symmetric(WORDS * sizeof *symmetric);
  local = allocate_private(WORDS * sizeof *local);
  fill(local, own_number);
  fill(symmetric, none);
  measure_beside(0, measure, symmetric);
  require(me != ranks - 1 || has_arrived(symmetric), "pieces did not arrive");
  end_shmem();
}
