// 128 KiB in pieces of 64 bytes, one quarter of the memory that they are scattered over: ibput to
// the last rank, which is on another node, and quiet.
#include "network.h"

enum { BYTES = 128 << 10, WORDS_IN_PIECE = 8, STRIDE = 4 * WORDS_IN_PIECE, BATCHES = 40, OPS = 5 };
enum { PIECES = BYTES / 8 / WORDS_IN_PIECE, WORDS = PIECES * STRIDE };

static long* local;

static void run(void* symmetric, int peer) {
  shmem_ibput64(symmetric, local, STRIDE, STRIDE, WORDS_IN_PIECE, PIECES, peer);
  shmem_quiet();
}

static void measure(void* symmetric, int peer) {
  double* samples = new_samples(BATCHES);
  run(symmetric, peer);
  for (size_t i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    for (int j = 0; j < OPS; ++j) run(symmetric, peer);
    samples[i] = ns_per_op(now_ns() - start, OPS);
  }
  report("network_strided", "ours", samples, BATCHES);
}

static int has_arrived(const long* words) {
  for (long i = 0; i < WORDS; ++i)
    if (words[i] != (i % STRIDE < WORDS_IN_PIECE ? i : -1)) return 0;
  return 1;
}

int main(void) {
  shmem_init();
  pin_if_asked(shmem_my_pe());
  long* symmetric = shmem_malloc(WORDS * sizeof *symmetric);
  local = malloc(WORDS * sizeof *local);
  if (local == NULL) shmem_global_exit(1);
  for (long i = 0; i < WORDS; ++i) {
    local[i] = i;
    symmetric[i] = -1;
  }
  measure_beside(0, measure, symmetric);
  if (shmem_my_pe() == shmem_n_pes() - 1 && !has_arrived(symmetric)) {
    fputs("network_strided: pieces did not arrive\n", stderr);
    shmem_global_exit(1);
  }
  free(local);
  shmem_free(symmetric);
  shmem_finalize();
  return 0;
}
