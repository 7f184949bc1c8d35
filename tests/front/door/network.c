/* A program for several hosts. In each round every rank puts into the next, and all add to a
 * counter of rank 0 and sum their values. Each rank prints "ready" before the first round; rank 0
 * prints "right" after the last. Without a number of rounds it never ends; with -1 all wait for a
 * message that no rank sends. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { words = 1500 };

static long row[words];
static long counter;
static long flag;
static long mine;
static long sum;

static void fail(const char* what, long round) {
  fprintf(stderr, "rank %d: %s is wrong in round %ld\n", shmem_my_pe(), what, round);
  shmem_global_exit(3);
}

static void one_round(long round) {
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const int next = (me + 1) % ranks;
  static long out[words];
  for (int i = 0; i < words; ++i) out[i] = round * words + i;
  shmem_long_put(row, out, words, next);
  shmem_fence();
  shmem_long_p(&flag, round, next);
  shmem_long_wait_until(&flag, SHMEM_CMP_GE, round);
  for (int i = 0; i < words; ++i)
    if (row[i] != round * words + i) fail("what was put", round);
  shmem_long_atomic_inc(&counter, 0);
  mine = me + round;
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &sum, &mine, 1);
  if (sum != ranks * round + (long)ranks * (ranks - 1) / 2) fail("the sum", round);
  shmem_barrier_all();
  if (shmem_long_atomic_fetch(&counter, 0) != ranks * round) fail("the counter", round);
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 0;
  shmem_init();
  printf("ready\n");
  fflush(stdout);
  if (rounds < 0) shmem_long_wait_until(&flag, SHMEM_CMP_NE, 0);
  for (long round = 1; rounds == 0 || round <= rounds; ++round) one_round(round);
  if (shmem_my_pe() == 0) printf("right\n");
  shmem_finalize();
  return 0;
}
