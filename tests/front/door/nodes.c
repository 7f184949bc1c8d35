/* nodes RANKS: RANKS ranks per node share memory. All ranks reach all, over a network too. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64
#define LONGS 32768
#define ROUNDS 50

static long cells[MOST];
static long counter;
static long block[LONGS];
static long source[LONGS];
static long sums[4];
static uint64_t signal_word;

static int me;
static int ranks;
static int failures = 0;

static void expect(long found, long wanted, const char* what, int peer) {
  if (found == wanted || failures++ > 0) return;
  fprintf(stderr, "rank %d: %s, rank %d: %ld, not %ld\n", me, what, peer, found, wanted);
}

static void who_shares_memory(int together) {
  for (int peer = 0; peer < ranks; ++peer) {
    const int shared = shmem_ptr(cells, peer) != NULL;
    expect(shared, peer / together == me / together, "shares memory", peer);
  }
}

static void small_puts_and_gets(void) {
  for (int round = 1; round <= ROUNDS; ++round) {
    for (int peer = 0; peer < ranks; ++peer) shmem_long_p(&cells[me], 1000L * round + me, peer);
    shmem_barrier_all();
    for (int peer = 0; peer < ranks; ++peer) {
      expect(cells[peer], 1000L * round + peer, "put", peer);
      expect(shmem_long_g(&cells[me], peer), 1000L * round + me, "get", peer);
    }
    shmem_barrier_all();
  }
}

static void large_put_with_signal(void) {
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  for (long i = 0; i < LONGS; ++i) source[i] = 7L * i + me;
  shmem_long_put_signal(block, source, LONGS, &signal_word, 1, SHMEM_SIGNAL_SET, right);
  shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
  for (long i = 0; i < LONGS; ++i) expect(block[i], 7L * i + left, "put with signal", left);
  shmem_barrier_all();
}

static void atomics(void) {
  for (int round = 0; round < ROUNDS; ++round)
    for (int peer = 0; peer < ranks; ++peer) shmem_long_atomic_fetch_add(&counter, 1, peer);
  shmem_barrier_all();
  expect(counter, (long)ROUNDS * ranks, "fetch and add", me);
}

static void collectives(void) {
  for (int i = 0; i < 4; ++i) cells[i] = me + i;
  shmem_barrier_all();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, sums, cells, 4);
  for (int i = 0; i < 4; ++i) expect(sums[i], ranks * (ranks - 1L) / 2 + i * ranks, "sum", me);
  shmem_barrier_all();  // a rank that has its sum must not write while others still get theirs
  shmem_long_broadcast(SHMEM_TEAM_WORLD, sums, cells, 4, ranks - 1);
  for (int i = 0; i < 4; ++i) expect(sums[i], ranks - 1 + i, "broadcast", ranks - 1);
}

int main(int argc, char** argv) {
  shmem_init();
  me = shmem_my_pe();
  ranks = shmem_n_pes();
  who_shares_memory(argc > 1 ? atoi(argv[1]) : ranks);
  small_puts_and_gets();
  large_put_with_signal();
  atomics();
  collectives();
  printf("rank %d of %d\n", me, ranks);
  shmem_finalize();
  return failures > 0;
}
