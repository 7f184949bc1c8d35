// A queue over all ranks: any rank adds to it and takes from it. Its memory is a list of segments,
// which lie on all ranks in turn and come and go as the queue moves on.
//
// An operation takes a ticket by fetch-and-add. The ticket determines the segment and the slot. The
// first rank that needs a segment allocates it, and the rank that takes its last item frees it.
#include <shmem.h>
#include <shmemx.h>
#include <stdio.h>

#include "arguments.h"
#include "clock.h"

enum { slots = 256, window = 64 };  // of a segment; segments that exist at once

struct segment {
  uint64_t number;  // 1 more than that of the segment
  uint64_t taken;   // items that were taken
  uint64_t items[slots];
};

// The state of the queue lies on rank 0.
static uint64_t tail, head;
static uint64_t segments[window];  // packed global pointers; 0: not allocated

static uint64_t taken_here, sum_here, taken, sum;

static shmemx_gptr_t item_of(shmemx_gptr_t segment, uint64_t ticket) {
  return shmemx_gptr_add(
      segment, (ptrdiff_t)(offsetof(struct segment, items) + ticket % slots * sizeof(uint64_t)));
}

static uint64_t number_in(uint64_t word) {
  uint64_t number;
  shmemx_gptr_get(&number, shmemx_gptr_unpack(word), sizeof number);
  return number;
}

// The segment of a ticket. An earlier segment in its place must be used up first. The segment is
// not freed before the ticket is used. The number of an earlier one may be read after it was freed,
// but then its place has changed.
static shmemx_gptr_t segment_of(uint64_t ticket) {
  const uint64_t number = ticket / slots;
  uint64_t* place = &segments[number % window];
  for (;;) {
    const uint64_t word = shmem_uint64_atomic_fetch(place, 0);
    if (word != 0) {
      if (number_in(word) == number + 1 && shmem_uint64_atomic_fetch(place, 0) == word)
        return shmemx_gptr_unpack(word);
      continue;
    }
    const int pe = (int)(number % (uint64_t)shmem_n_pes());
    const shmemx_gptr_t block = shmemx_malloc_at(pe, sizeof(struct segment));
    if (shmemx_gptr_is_null(block)) shmem_global_exit(1);
    const struct segment empty = {.number = number + 1};
    shmemx_gptr_put(block, &empty, sizeof empty);
    shmem_quiet();
    if (shmem_uint64_atomic_compare_swap(place, 0, shmemx_gptr_pack(block), 0) == 0) return block;
    shmemx_free_at(block);
  }
}

// `item`: not 0.
static void add(uint64_t item) {
  const uint64_t ticket = shmem_uint64_atomic_fetch_add(&tail, 1, 0);
  shmemx_gptr_atomic_set(item_of(segment_of(ticket), ticket), item);
}

// Waits for the item, so no more may be taken than are added.
static uint64_t take(void) {
  const uint64_t ticket = shmem_uint64_atomic_fetch_add(&head, 1, 0);
  const shmemx_gptr_t segment = segment_of(ticket);
  uint64_t item;
  while ((item = shmemx_gptr_atomic_fetch(item_of(segment, ticket))) == 0) {
  }
  const shmemx_gptr_t taken_of = shmemx_gptr_add(segment, offsetof(struct segment, taken));
  if (shmemx_gptr_atomic_fetch_add(taken_of, 1) + 1 == slots) {
    shmem_uint64_atomic_set(&segments[ticket / slots % window], 0, 0);
    shmem_quiet();
    shmemx_free_at(segment);
  }
  return item;
}

int main(int argc, char** argv) {
  shmem_init();
  struct argument table[] = {
      {"--items", "items that each rank adds", WHOLE_NUMBER, 1, 1e8, 20000, NULL}};
  read_arguments("A queue over all ranks.", table, 1, argc, argv);
  const long count = (long)table[0].number;
  const uint64_t ranks = (uint64_t)shmem_n_pes();
  const uint64_t me = (uint64_t)shmem_my_pe();
  shmem_barrier_all();

  const double start = seconds();
  for (long i = 0; i < count; ++i) {
    add((uint64_t)i * ranks + me + 1);  // every number from 1 once
    sum_here += take();
    ++taken_here;
  }
  const double each = (seconds() - start) / (2.0 * (double)count);
  shmem_barrier_all();
  shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &taken, &taken_here, 1);
  shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &sum, &sum_here, 1);
  const uint64_t items = (uint64_t)count * ranks;
  const int is_right = taken == items && sum == items * (items + 1) / 2;
  if (me == 0)
    printf("%lu items, %.0f ns an operation; %s\n", (unsigned long)items, 1e9 * each,
           is_right ? "each was taken once" : "WRONG");
  shmem_finalize();
  return is_right ? 0 : 1;
}
