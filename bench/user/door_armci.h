// The door of ARMCI.
#ifndef GONDWANA_BENCH_DOOR_ARMCI_H_
#define GONDWANA_BENCH_DOOR_ARMCI_H_

#include "door.h"

#include <armcix.h>
#include <message.h>

#ifdef DOOR_ARMCI_MPI
#include <mpi.h>
#endif

#define HAS_ADD 0
#define HAS_COMPARE_SWAP 0

static void** blocks;
static enum wait_kind waits;

static inline struct block block_of(int rank) {
  const int is_mapped = armci_domain_same_id(ARMCI_DOMAIN_SMP, rank);
  return (struct block){blocks[rank], is_mapped ? blocks[rank] : NULL};
}

static inline void start_door(int argc, char** argv, size_t bytes) {
#ifdef DOOR_ARMCI_MPI
  MPI_Init(&argc, &argv);  // ARMCI-MPI leaves it to the program
#endif
  ARMCI_Init_args(&argc, &argv);
  enter_job(armci_msg_me(), armci_msg_nproc(), armci_msg_abort);
  pin_unless_oversubscribed();
  blocks = (void**)calloc((size_t)ranks, sizeof *blocks);
  if (blocks == NULL || ARMCI_Malloc(blocks, (armci_size_t)bytes) != 0)
    fail("no memory for %zu bytes on each rank; ask for fewer with -m", bytes);
  waits = usual_wait(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (block_of(rank).mapped == NULL) waits = WAIT_YIELD;
  }
}

static inline void end_door(void) {
  ARMCI_Free(blocks[me]);
  ARMCI_Finalize();
#ifdef DOOR_ARMCI_MPI
  MPI_Finalize();
#endif
}

static inline void meet_all(void) {
  armci_msg_barrier();
}

static inline void put_now(int rank, char* to, const char* from, size_t bytes) {
  ARMCI_Put((void*)from, to, (int)bytes, rank);
  ARMCI_Fence(rank);
}

static inline void get_now(int rank, char* to, const char* from, size_t bytes) {
  ARMCI_Get((void*)from, to, (int)bytes, rank);
}

static inline void put_later(int rank, char* to, const char* from, size_t bytes) {
  ARMCI_NbPut((void*)from, to, (int)bytes, rank, NULL);
}

static inline void complete_puts(int rank) {
  ARMCI_WaitAll();
  ARMCI_Fence(rank);
}

static inline void put_and_tell(int rank, char* to, const char* from, size_t bytes, long* word,
                                long value) {
  put_now(rank, to, from, bytes);
  ARMCI_PutValueLong(value, word, rank);
}

static inline long fetch_and_add(int rank, long* word, int operand) {
  long old = 0;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, word, operand, rank);
  return old;
}

// ARMCI has no call that waits for a word. From another node an agent delivers it, which needs a
// processor; over MPI only calls move the messages of others.
static inline void wait_for(long* word, long value) {
#ifdef DOOR_ARMCI_MPI
  while (fetch_and_add(me, word, 0) != value) continue;
#else
  wait_for_value((_Atomic long*)word, value, waits);
#endif
}

static inline long fetch_add(int rank, long* word) {
  return fetch_and_add(rank, word, 1);
}

static inline void add_and_tell(int rank, long* word) {
  (void)fetch_add(rank, word);
}

static inline void swap(int rank, long* word, long value) {
  ARMCI_Rmw(ARMCI_SWAP_LONG, &value, word, 0, rank);
}

static inline void start_collectives(size_t words) {
  (void)words;
}

// In place: rank 0 sends `from`, the others receive in `to`.
static inline void broadcast_words(long* to, long* from, size_t words) {
  armci_msg_bcast(me == 0 ? from : to, (int)(words * sizeof *from), 0);
}

static inline void sum_words(long* to, const long* from, size_t words) {
  memcpy(to, from, words * sizeof *from);
  armci_msg_lgop(to, (int)words, (char[]){"+"});
}

#endif
