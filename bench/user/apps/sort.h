// A bucket sort of random integers. Each rank puts its keys to the rank that owns their range, into
// space that it reserves there by fetch-and-add. Then it sorts the keys that it has received.
#ifndef GONDWANA_BENCH_APPS_SORT_H_
#define GONDWANA_BENCH_APPS_SORT_H_

#include "app.h"

enum { KEYS = 1 << 18 };

static uint32_t* inbox;
static uint32_t* grouped;  // the own keys, by owner
static uint32_t* sorted;   // for the serial program
static long* group_ends;   // one for each rank
static long* received;     // keys in the inbox, or reserved space

static uint32_t key_number(long i) {
  uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1);
  return (uint32_t)(next_number(&state) >> 32);
}

static int key_owner(uint32_t key) {
  return (int)(((uint64_t)key * (uint64_t)ranks) >> 32);
}

static int compare_keys(const void* a, const void* b) {
  const uint32_t x = *(const uint32_t*)a;
  const uint32_t y = *(const uint32_t*)b;
  return (x > y) - (x < y);
}

// Keys are random, so that the inboxes fill about evenly.
static size_t inbox_room(void) {
  return KEYS / (size_t)ranks + KEYS / (size_t)ranks / 4 + 4096;
}

static void begin_sort(void) {
  inbox = allocate_symmetric(inbox_room() * sizeof *inbox);
  received = allocate_symmetric(sizeof *received);
  grouped = allocate_private((KEYS / (size_t)ranks + 1) * sizeof *grouped);
  group_ends = allocate_private((size_t)(ranks + 1) * sizeof *group_ends);
  sorted = allocate_private(KEYS * sizeof *sorted);
}

static void group_keys(void) {
  const long begin = first_of(KEYS, me);
  const long end = first_of(KEYS, me + 1);
  memset(group_ends, 0, (size_t)(ranks + 1) * sizeof *group_ends);
  for (long i = begin; i < end; ++i) ++group_ends[key_owner(key_number(i))];
  for (int rank = 1; rank < ranks; ++rank) group_ends[rank] += group_ends[rank - 1];
  group_ends[ranks] = end - begin;
  // Afterwards each entry is the start of its group, and so the end of the previous one.
  for (long i = begin; i < end; ++i) {
    const uint32_t key = key_number(i);
    grouped[--group_ends[key_owner(key)]] = key;
  }
}

static void sort_keys(void) {
  *received = 0;
  shmem_barrier_all();
  group_keys();
  for (int step = 0; step < ranks; ++step) {
    const int to = (me + step) % ranks;  // each rank begins with a different one
    const long count = group_ends[to + 1] - group_ends[to];
    const long at = shmem_long_atomic_fetch_add(received, count, to);
    require((size_t)(at + count) <= inbox_room(), "an inbox of the sort is full");
    shmem_put32(&inbox[at], &grouped[group_ends[to]], (size_t)count, to);
  }
  shmem_barrier_all();
  qsort(inbox, (size_t)*received, sizeof *inbox, compare_keys);
}

static void serial_sort(void) {
  for (long i = 0; i < KEYS; ++i) sorted[i] = key_number(i);
  qsort(sorted, KEYS, sizeof *sorted, compare_keys);
}

// The keys of this rank form one block, which starts where its range begins.
static int is_sorted(void) {
  long first = 0;
  while (first < KEYS && key_owner(sorted[first]) < me) ++first;
  return first + *received <= KEYS &&
         memcmp(inbox, sorted + first, (size_t)*received * sizeof *inbox) == 0 &&
         (first + *received == KEYS || key_owner(sorted[first + *received]) > me);
}

static void end_sort(void) {
  free(sorted);
  free(group_ends);
  free(grouped);
  shmem_free(received);
  shmem_free(inbox);
}

#endif
