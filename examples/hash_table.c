// A hash table that is distributed over all ranks. To insert, a rank takes the next slot of a
// bucket by fetch-and-add and puts its entry there; to look up, it gets the whole bucket. A full
// bucket continues in the next one, so both work in rounds. No rank waits for a single operation: a
// quiet completes each round.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "clock.h"
#include "random.h"

enum { places = 8, most_rounds = 64 };

struct entry {
  uint64_t key, value;
};
struct bucket {
  struct entry entries[places];
};

// The part of the table on each rank. Bucket b is number b / ranks on rank b % ranks.
struct table {
  struct bucket* buckets;
  uint64_t* used;   // slots taken in each bucket, or requested
  uint64_t number;  // buckets on all ranks
};

static long wrong_here;  // of a reduction; symmetric because they are global
static long wrong;

static uint64_t value_of(uint64_t key) {
  return key * UINT64_C(0xd6e8feb86659fd93) + 7;
}

static uint64_t bucket_of(const struct table* table, uint64_t key, int round) {
  return ((key >> 20) + (uint64_t)round) % table->number;
}

// Removes the keys that are done and returns how many are left.
static long keep(uint64_t* keys, const unsigned char* is_done, long count) {
  long left = 0;
  for (long i = 0; i < count; ++i)
    if (!is_done[i]) keys[left++] = keys[i];
  return left;
}

static long insert_round(const struct table* table, uint64_t* keys, long count, int round,
                         uint64_t* place, struct entry* entries, unsigned char* is_done) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  for (long i = 0; i < count; ++i) {
    const uint64_t bucket = bucket_of(table, keys[i], round);
    shmem_uint64_atomic_fetch_add_nbi(&place[i], &table->used[bucket / ranks], 1,
                                      (int)(bucket % ranks));
  }
  shmem_quiet();
  for (long i = 0; i < count; ++i) {
    is_done[i] = place[i] < places;
    if (!is_done[i]) continue;
    const uint64_t bucket = bucket_of(table, keys[i], round);
    entries[i] = (struct entry){keys[i], value_of(keys[i])};
    shmem_putmem_nbi(&table->buckets[bucket / ranks].entries[place[i]], &entries[i],
                     sizeof entries[i], (int)(bucket % ranks));
  }
  shmem_quiet();
  return keep(keys, is_done, count);
}

// Counts keys with a wrong value.
static long find_round(const struct table* table, uint64_t* keys, long count, int round,
                       struct bucket* found, unsigned char* is_done) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  for (long i = 0; i < count; ++i) {
    const uint64_t bucket = bucket_of(table, keys[i], round);
    shmem_getmem_nbi(&found[i], &table->buckets[bucket / ranks], sizeof found[i],
                     (int)(bucket % ranks));
  }
  shmem_quiet();
  for (long i = 0; i < count; ++i) {
    is_done[i] = 0;
    for (int place = 0; place < places && !is_done[i]; ++place) {
      const struct entry* entry = &found[i].entries[place];
      if (entry->key != keys[i]) continue;
      is_done[i] = 1;
      wrong_here += entry->value != value_of(keys[i]);
    }
  }
  return keep(keys, is_done, count);
}

// Keys of different ranks differ, and none is 0.
static void choose_keys(uint64_t* keys, long count) {
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  for (long i = 0; i < count; ++i) {
    const uint64_t number = (uint64_t)i * ranks + (uint64_t)shmem_my_pe() + 1;
    keys[i] = number * UINT64_C(0x9e3779b97f4a7c15);
  }
}

static void* take(size_t size) {
  void* memory = malloc(size);
  if (memory != NULL) return memory;
  fprintf(stderr, "hash_table: --keys: there is no memory for them\n");
  shmem_global_exit(2);
  return NULL;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument argument = {
      "--keys", "keys that each rank inserts", WHOLE_NUMBER, .low = 1, .high = 1e8, .number = 1e5};
  read_arguments("hash_table: a distributed hash table", &argument, 1, argc, argv);
  const long count = (long)argument.number;
  const uint64_t each = (uint64_t)count / (places / 2) + 1;  // half full
  struct table table = {shmem_calloc(each, sizeof(struct bucket)),
                        shmem_calloc(each, sizeof(uint64_t)), each * (uint64_t)shmem_n_pes()};
  if (table.buckets == NULL || table.used == NULL)
    refuse(argv[0], "--keys", "the symmetric heap has no room for the table");
  uint64_t* keys = take((size_t)count * sizeof *keys);
  uint64_t* place = take((size_t)count * sizeof *place);
  struct entry* entries = take((size_t)count * sizeof *entries);
  struct bucket* found = take((size_t)count * sizeof *found);
  unsigned char* is_done = take((size_t)count);
  shmem_barrier_all();

  const double start = seconds();
  choose_keys(keys, count);
  long left = count;
  for (int round = 0; round < most_rounds && left > 0; ++round)
    left = insert_round(&table, keys, left, round, place, entries, is_done);
  const long not_inserted = left;
  shmem_barrier_all();
  const double inserted = seconds();

  choose_keys(keys, count);
  left = count;
  for (int round = 0; round < most_rounds && left > 0; ++round)
    left = find_round(&table, keys, left, round, found, is_done);
  shmem_barrier_all();
  const double looked_up = seconds();

  wrong_here += not_inserted + left;
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &wrong, &wrong_here, 1);
  if (shmem_my_pe() == 0) {
    printf("hash_table: %d ranks, %ld keys on each; insert %.1f ns, look up %.1f ns a key\n",
           shmem_n_pes(), count, 1e9 * (inserted - start) / (double)count,
           1e9 * (looked_up - inserted) / (double)count);
    printf("hash_table: %ld keys are missing or have a wrong value: %s\n", wrong,
           wrong == 0 ? "correct" : "WRONG");
  }
  free(is_done);
  free(found);
  free(entries);
  free(place);
  free(keys);
  shmem_free(table.used);
  shmem_free(table.buckets);
  shmem_finalize();
  return wrong == 0 ? 0 : 1;
}
