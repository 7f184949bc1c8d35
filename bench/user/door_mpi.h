// The door of one-sided MPI, which `gondwana bench --peers` compares with OpenSHMEM. Addresses of
// this rank's block stand for those of all ranks; calls convert them to displacements.
#ifndef GONDWANA_BENCH_DOOR_MPI_H_
#define GONDWANA_BENCH_DOOR_MPI_H_

#include "door.h"

#include <mpi.h>

#define HAS_ADD 1
#define HAS_COMPARE_SWAP 1

static MPI_Win window;
static char* own_block;

static void abort_mpi(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

static inline void start_door(int argc, char** argv, size_t bytes) {
  int rank = 0;
  int count = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  enter_job(rank, count, abort_mpi);
  pin_unless_oversubscribed();
  require(MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&own_block,
                           &window) == MPI_SUCCESS,
          "no memory for the window");
  memset(own_block, 0, bytes);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static inline void end_door(void) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
}

static inline struct block block_of(int rank) {
  return (struct block){own_block, rank == me ? own_block : NULL};
}

// Orders loads and stores of this rank's block with the operations of others.
static inline void meet_all(void) {
  MPI_Win_sync(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);
}

static inline MPI_Aint displacement(const void* place) {
  return (const char*)place - own_block;
}

static inline void put_later(int rank, char* to, const char* from, size_t bytes) {
  MPI_Put(from, (int)bytes, MPI_BYTE, rank, displacement(to), (int)bytes, MPI_BYTE, window);
}

static inline void complete_puts(int rank) {
  MPI_Win_flush(rank, window);
}

static inline void put_now(int rank, char* to, const char* from, size_t bytes) {
  put_later(rank, to, from, bytes);
  complete_puts(rank);
}

static inline void get_now(int rank, char* to, const char* from, size_t bytes) {
  MPI_Get(to, (int)bytes, MPI_BYTE, rank, displacement(from), (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(rank, window);
}

static inline long fetch(int rank, long* word, MPI_Op op, long operand) {
  long old = 0;
  MPI_Fetch_and_op(&operand, &old, MPI_LONG, rank, displacement(word), op, window);
  MPI_Win_flush(rank, window);
  return old;
}

// MPI orders two operations of a rank only by a flush.
static inline void put_and_tell(int rank, char* to, const char* from, size_t bytes, long* word,
                                long value) {
  put_now(rank, to, from, bytes);
  MPI_Accumulate(&value, 1, MPI_LONG, rank, displacement(word), 1, MPI_LONG, MPI_REPLACE, window);
  MPI_Win_flush(rank, window);
}

// An operation on the own word is the portable way to see those of others: it moves their messages,
// too.
static inline void wait_for(long* word, long value) {
  while (fetch(me, word, MPI_NO_OP, 0) != value) continue;
}

static inline void add(int rank, long* word) {
  static const long one = 1;
  MPI_Accumulate(&one, 1, MPI_LONG, rank, displacement(word), 1, MPI_LONG, MPI_SUM, window);
}

static inline void add_and_tell(int rank, long* word) {
  add(rank, word);
  MPI_Win_flush(rank, window);
}

static inline long fetch_add(int rank, long* word) {
  return fetch(rank, word, MPI_SUM, 1);
}

static inline void swap(int rank, long* word, long value) {
  (void)fetch(rank, word, MPI_REPLACE, value);
}

static inline void compare_swap(int rank, long* word) {
  const long expected = 0;
  const long desired = 1;
  long old = 0;
  MPI_Compare_and_swap(&desired, &expected, &old, MPI_LONG, rank, displacement(word), window);
  MPI_Win_flush(rank, window);
}

static inline void start_collectives(size_t words) {
  (void)words;
}

// In place: rank 0 sends `from`, the others receive in `to`.
static inline void broadcast_words(long* to, long* from, size_t words) {
  MPI_Bcast(me == 0 ? from : to, (int)words, MPI_LONG, 0, MPI_COMM_WORLD);
}

static inline void sum_words(long* to, const long* from, size_t words) {
  MPI_Allreduce(from, to, (int)words, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

#endif
