// A histogram that is distributed over the ranks: each rank owns some bins, throws dice, and counts
// every throw in its bin on the owner, with an atomic increment.
#include <shmem.h>
#include <stdio.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

enum { dice = 8, faces = 6, bins = dice * (faces - 1) + 1 };  // sums from 8 to 48

static long throw_dice(uint64_t* state) {
  long sum = 0;
  for (int d = 0; d < dice; ++d) sum += (long)(next_random(state) % faces);
  return sum;  // 0 is the smallest
}

// Bins are assigned to ranks in turn: bin b is number b / ranks on rank b % ranks.
static void count_throws(long* mine, long throws) {
  const int ranks = shmem_n_pes();
  uint64_t state = random_seed(shmem_my_pe());
  for (long i = 0; i < throws; ++i) {
    const long bin = throw_dice(&state);
    shmem_atomic_inc(&mine[bin / ranks], (int)(bin % ranks));
  }
}

// Reads all bins from their owners, draws them, and returns how many throws they contain.
static long draw(long* mine, long expected) {
  const int ranks = shmem_n_pes();
  const double scale = 400.0 / (double)expected;
  long total = 0;
  for (long bin = 0; bin < bins; ++bin) {
    const long count = shmem_g(&mine[bin / ranks], (int)(bin % ranks));
    total += count;
    printf("%3ld %9ld ", bin + dice, count);
    for (int star = 0; star < (int)(scale * (double)count); ++star) putchar('*');
    putchar('\n');
  }
  return total;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument throws = {"--throws", "throws of each rank", WHOLE_NUMBER,
                            .low = 1,   .high = 1e12,          .number = 1e5};
  read_arguments("histogram: sums of eight dice, counted in distributed bins", &throws, 1, argc,
                 argv);
  const int ranks = shmem_n_pes();
  long* mine = shmem_calloc((size_t)(bins / ranks) + 1, sizeof *mine);
  if (mine == NULL) refuse(argv[0], "memory", "the symmetric heap has no room for the bins");
  shmem_barrier_all();  // some libraries clear the bins only after the barrier of shmem_calloc

  const double start = seconds();
  count_throws(mine, (long)throws.number);
  shmem_barrier_all();
  const double elapsed = seconds() - start;

  int wrong = 0;
  if (shmem_my_pe() == 0) {
    const long expected = ranks * (long)throws.number;
    const long total = draw(mine, expected);
    wrong = total != expected;
    printf("histogram: %d ranks, %.1f ns a throw on each\n", ranks, 1e9 * elapsed / throws.number);
    printf("histogram: %ld of %ld throws counted: %s\n", total, expected,
           wrong ? "WRONG" : "correct");
  }
  shmem_free(mine);
  shmem_finalize();
  return wrong;
}
