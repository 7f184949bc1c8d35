// A token travels around the ranks, and each adds its own number: the cost of one message, and the
// simplest use of "write, then wait for a write" without any barrier.
#include <shmem.h>
#include <stdio.h>

#include "arguments.h"
#include "clock.h"

// The token is never 0, so 0 means "not here yet".
static long token = 0;

static long wait_for_token(void) {
  shmem_wait_until(&token, SHMEM_CMP_NE, 0);
  const long value = token;
  token = 0;  // the next write arrives only after this rank has passed the token on
  return value;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument laps = {"--laps",    "times around the ring", WHOLE_NUMBER, .low = 1,
                          .high = 1e9, .number = 1000};
  read_arguments("ring: pass a token around all ranks", &laps, 1, argc, argv);
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const int next = (me + 1) % ranks;
  const long count = (long)laps.number;

  shmem_barrier_all();
  const double start = seconds();
  long value = 1;
  for (long lap = 0; lap < count; ++lap) {
    if (me == 0) {
      shmem_p(&token, value, next);
      value = wait_for_token();
    } else {
      shmem_p(&token, wait_for_token() + me, next);
    }
  }
  const double elapsed = seconds() - start;

  int wrong = 0;
  if (me == 0) {
    const long expected = 1 + count * ((long)ranks * (ranks - 1) / 2);
    wrong = value != expected;
    printf("ring: %ld laps of %d ranks, %.3f us a hop, token %ld: %s\n", count, ranks,
           1e6 * elapsed / (double)(count * ranks), value, wrong ? "WRONG" : "correct");
  }
  shmem_finalize();
  return wrong;
}
