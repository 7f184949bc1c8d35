/* together ROUNDS: puts, gets, atomic updates, signals and barriers of all ranks. Some waits are
 * short, others long enough to sleep. Rank 0 prints how many results are right. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { words = 4096 };

static long inbox[words];
static uint64_t arrived;
static long tickets;
static long right;
static long total;

static void sleep_ms(long ms) {
  const struct timespec time = {.tv_sec = 0, .tv_nsec = ms * 1000000L};
  nanosleep(&time, NULL);
}

/* One of the ranks is late, so that the others sleep. */
static void wait_for_one(int late) {
  if (shmem_my_pe() == late) sleep_ms(20);
  shmem_barrier_all();
}

static int round_is_right(int me, int ranks, long number) {
  const int next = (me + 1) % ranks;
  const int before = (me + ranks - 1) % ranks;
  long mine[words];
  for (long i = 0; i < words; ++i) mine[i] = me + number * i;
  shmem_long_put_signal(inbox, mine, words, &arrived, 1, SHMEM_SIGNAL_ADD, next);
  shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)number);
  int fine = 1;
  for (long i = 0; i < words; ++i) fine = fine && inbox[i] == before + number * i;
  fine = fine && shmem_long_g(&inbox[0], next) == me;
  shmem_long_atomic_add(&tickets, 1, 0);
  shmem_barrier_all();
  return fine && shmem_long_atomic_fetch(&tickets, 0) == ranks * number;
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 10;
  shmem_init();
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  for (long number = 1; number <= rounds; ++number) {
    right += round_is_right(me, ranks, number);
    wait_for_one((int)(number % ranks));
  }
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &right, 1);
  if (me == 0) printf("%d ranks: %ld of %ld rounds right\n", ranks, total, ranks * rounds);
  shmem_finalize();
  return total == ranks * rounds ? 0 : 1;
}
