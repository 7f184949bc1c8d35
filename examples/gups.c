// Random updates of a table that is spread over all ranks: the worst case of a memory system, and
// the idea of the RandomAccess test of the HPC Challenge. One update is
//
//     table[random place] ^= random value
//
// and the place is as likely on any rank. The result is told in giga-updates per second (GUP/s).
//
// Here updates are atomic, so none may get lost. That can be checked without a second table: the
// exclusive or undoes itself, hence the same updates once more must restore the table exactly.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

static long total;  // of a reduction; symmetric because it is global
static long mine;

static long sum_over_ranks(long value) {
  mine = value;
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &total, &mine, 1);
  return total;
}

// `words` is a power of two. The place and the value come from different bits of the number.
static void update(uint64_t* table, uint64_t words, long updates) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  uint64_t state = random_seed(shmem_my_pe());
  for (long i = 0; i < updates; ++i) {
    const uint64_t value = next_random(&state);
    const int owner = (int)((value >> 40) % ranks);
    shmem_atomic_xor(&table[value & (words - 1)], value, owner);
  }
  shmem_barrier_all();  // completes the updates of all ranks
}

// The first contents differ from place to place, so that a lost update cannot hide.
static uint64_t first_value(uint64_t place) {
  return place * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)shmem_my_pe();
}

static long count_changed(const uint64_t* table, uint64_t words) {
  long changed = 0;
  for (uint64_t i = 0; i < words; ++i) changed += table[i] != first_value(i);
  return changed;
}

int main(int argc, char** argv) {
  shmem_init();
  enum { WORDS, UPDATES, ROWS };
  struct argument arguments[ROWS] = {
      [WORDS] = {"--words", "words of the table on each rank, as a power of two: 2^N", WHOLE_NUMBER,
                 .low = 0, .high = 40, .number = 20},
      [UPDATES] = {"--updates", "updates by each rank, in millions", REAL_NUMBER, .low = 1e-6,
                   .high = 1e9, .number = 4},
  };
  read_arguments("gups: random atomic updates of a distributed table", arguments, ROWS, argc, argv);
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const uint64_t words = UINT64_C(1) << (int)arguments[WORDS].number;
  const long updates = (long)(1e6 * arguments[UPDATES].number);

  uint64_t* table = shmem_malloc(words * sizeof *table);
  if (table == NULL) refuse(argv[0], "--words", "the symmetric heap has no room for the table");
  for (uint64_t i = 0; i < words; ++i) table[i] = first_value(i);
  shmem_barrier_all();

  const double start = seconds();
  update(table, words, updates);
  const double elapsed = seconds() - start;
  const long changed = sum_over_ranks(count_changed(table, words));
  shmem_barrier_all();  // no rank starts to undo while others still count

  update(table, words, updates);
  const long errors = sum_over_ranks(count_changed(table, words));

  const int good = changed > 0 && errors == 0;
  if (me == 0) {
    const double all = (double)ranks * (double)updates;
    printf("gups: %d ranks, 2^%d words each, %.3g updates in %.2f s\n", ranks,
           (int)arguments[WORDS].number, all, elapsed);
    printf("gups: %.4f GUP/s, %.1f ns an update on each rank\n", 1e-9 * all / elapsed,
           1e9 * elapsed * ranks / all);
    printf("gups: %ld words changed; after undoing all updates %ld words differ: %s\n", changed,
           errors, good ? "correct" : "WRONG");
  }
  shmem_free(table);
  shmem_finalize();
  return good ? 0 : 1;
}
