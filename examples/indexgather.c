// Reads random entries of a table that is distributed over all ranks, as sparse matrices and graphs
// do with their index lists. Each read is a non-blocking get of one word; one quiet at the end
// completes them all.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

static long wrong_here;  // of a reduction; symmetric because it is global
static long wrong;

// Entry i is number i / ranks on rank i % ranks.
static uint64_t entry(uint64_t i) {
  return i * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void gather(uint64_t* values, const uint64_t* table, const uint64_t* places, long reads) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  for (long i = 0; i < reads; ++i)
    shmem_uint64_get_nbi(&values[i], &table[places[i] / ranks], 1, (int)(places[i] % ranks));
  shmem_quiet();
}

static long count_wrong(const uint64_t* values, const uint64_t* places, long reads) {
  wrong_here = 0;
  for (long i = 0; i < reads; ++i) wrong_here += values[i] != entry(places[i]);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &wrong, &wrong_here, 1);
  return wrong;
}

int main(int argc, char** argv) {
  shmem_init();
  enum { WORDS, READS, ROWS };
  struct argument arguments[ROWS] = {
      [WORDS] = {"--words", "words of the table on each rank", WHOLE_NUMBER, .low = 1, .high = 1e12,
                 .number = 1e5},
      [READS] = {"--reads", "reads by each rank", WHOLE_NUMBER, .low = 1, .high = 1e9,
                 .number = 1e6},
  };
  read_arguments("indexgather: random reads of a distributed table", arguments, ROWS, argc, argv);
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  const uint64_t me = (uint64_t)shmem_my_pe();
  const uint64_t words = (uint64_t)arguments[WORDS].number;
  const long reads = (long)arguments[READS].number;

  uint64_t* table = shmem_malloc(words * sizeof *table);
  uint64_t* places = malloc((size_t)reads * sizeof *places);
  uint64_t* values = malloc((size_t)reads * sizeof *values);
  if (table == NULL) refuse(argv[0], "--words", "the symmetric heap has no room for the table");
  if (places == NULL || values == NULL) {
    fprintf(stderr, "%s: --reads: there is no memory for the values\n", argv[0]);
    shmem_global_exit(2);
  }
  uint64_t state = random_seed((int)me);
  for (long i = 0; i < reads; ++i) places[i] = next_random(&state) % (words * ranks);
  for (uint64_t i = 0; i < words; ++i) table[i] = entry(i * ranks + me);
  shmem_barrier_all();

  const double start = seconds();
  gather(values, table, places, reads);
  shmem_barrier_all();
  const double elapsed = seconds() - start;

  const long errors = count_wrong(values, places, reads);
  if (me == 0) {
    printf("indexgather: %d ranks, %ld reads by each in %.3f s, %.1f ns a read\n", (int)ranks,
           reads, elapsed, 1e9 * elapsed / (double)reads);
    printf("indexgather: %ld values differ: %s\n", errors, errors == 0 ? "correct" : "WRONG");
  }
  free(values);
  free(places);
  shmem_free(table);
  shmem_finalize();
  return errors == 0 ? 0 : 1;
}
