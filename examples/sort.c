// A bucket sort over all ranks, similar to the integer sorts used as benchmarks.
//
// Rank r will hold the r-th part of the range of keys. Every rank
//   1. counts how many of its keys go to each other rank,
//   2. reserves that much space in each inbox by adding to its owner's cursor,
//   3. puts the keys there, in one block for each rank, and
//   4. after a barrier sorts what it has received.
// No rank takes part in the others' writes to its inbox: fetch-and-add keeps the blocks apart.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

static long cursor = 0;  // keys in, or reserved for, the inbox of this rank

enum { MISSING, CHANGED, MISPLACED, FAULTS };
static long faults[FAULTS];  // symmetric, for the reduction, because they are global
static long all_faults[FAULTS];

static int owner_of(uint32_t key, int ranks) {
  return (int)(((uint64_t)key * (uint64_t)ranks) >> 32);
}

// Groups the keys by owner: those of rank r end up in grouped[first[r] .. first[r + 1]).
static void group_by_owner(const uint32_t* keys, long count, uint32_t* grouped, long* first) {
  const int ranks = shmem_n_pes();
  for (int r = 0; r <= ranks; ++r) first[r] = 0;
  for (long i = 0; i < count; ++i) ++first[owner_of(keys[i], ranks)];
  for (int r = 1; r <= ranks; ++r) first[r] += first[r - 1];  // now the end of each group
  for (long i = 0; i < count; ++i) grouped[--first[owner_of(keys[i], ranks)]] = keys[i];
}

static void send_groups(const uint32_t* grouped, const long* first, uint32_t* inbox, long room) {
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  for (int step = 0; step < ranks; ++step) {
    const int to = (me + step) % ranks;  // each starts with another rank: rank 0 is not flooded
    const long count = first[to + 1] - first[to];
    const long at = shmem_atomic_fetch_add(&cursor, count, to);
    if (at + count > room) {
      fprintf(stderr, "sort: the inbox of rank %d is full at %ld keys\n", to, room);
      shmem_global_exit(1);
    }
    shmem_put(&inbox[at], &grouped[first[to]], (size_t)count, to);
  }
}

static int compare_keys(const void* left, const void* right) {
  const uint32_t a = *(const uint32_t*)left;
  const uint32_t b = *(const uint32_t*)right;
  return (a > b) - (a < b);
}

static long sum_of(const uint32_t* keys, long count) {
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += keys[i];
  return sum;
}

static long count_misplaced(const uint32_t* sorted, long count) {
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  long misplaced = 0;
  for (long i = 0; i < count; ++i) {
    misplaced += owner_of(sorted[i], ranks) != me || (i > 0 && sorted[i - 1] > sorted[i]);
  }
  return misplaced;
}

// Checks that no key is lost, altered or out of place, on any rank.
static int verify(const uint32_t* keys, long count, const uint32_t* sorted, long received) {
  faults[MISSING] = count - received;
  faults[CHANGED] = sum_of(keys, count) - sum_of(sorted, received);
  faults[MISPLACED] = count_misplaced(sorted, received);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, all_faults, faults, FAULTS);
  return all_faults[MISSING] == 0 && all_faults[CHANGED] == 0 && all_faults[MISPLACED] == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument size = {"--keys", "keys on each rank", WHOLE_NUMBER,
                          .low = 1, .high = 1e9,         .number = 1e6};
  read_arguments("sort: a bucket sort of integers over all ranks", &size, 1, argc, argv);
  const int me = shmem_my_pe();
  const int ranks = shmem_n_pes();
  const long count = (long)size.number;
  const long room = count + count / 4 + 4096;  // keys are random, so inboxes fill about evenly

  uint32_t* inbox = shmem_malloc((size_t)room * sizeof *inbox);
  uint32_t* keys = malloc((size_t)count * sizeof *keys);
  uint32_t* grouped = malloc((size_t)count * sizeof *grouped);
  long* first = malloc((size_t)(ranks + 1) * sizeof *first);
  if (inbox == NULL || keys == NULL || grouped == NULL || first == NULL) {
    fprintf(stderr, "sort: rank %d has no room for %ld keys; lower --keys\n", me, count);
    shmem_global_exit(1);
  }
  uint64_t state = random_seed(me);
  for (long i = 0; i < count; ++i) keys[i] = (uint32_t)(next_random(&state) >> 32);

  shmem_barrier_all();
  const double start = seconds();
  group_by_owner(keys, count, grouped, first);
  send_groups(grouped, first, inbox, room);
  shmem_barrier_all();  // all keys have arrived
  qsort(inbox, (size_t)cursor, sizeof *inbox, compare_keys);
  shmem_sync_all();
  const double elapsed = seconds() - start;

  const int good = verify(keys, count, inbox, cursor);
  if (me == 0) {
    printf("sort: %ld keys on %d ranks in %.3f s, %.1f million keys a second: %s\n", count * ranks,
           ranks, elapsed, 1e-6 * (double)(count * ranks) / elapsed, good ? "correct" : "WRONG");
  }
  free(first);
  free(grouped);
  free(keys);
  shmem_free(inbox);
  shmem_finalize();
  return good ? 0 : 1;
}
