// The door of OpenSHMEM. Only names of OpenSHMEM 1.4 are used, so that other libraries can compile
// it.
#ifndef GONDWANA_BENCH_DOOR_SHMEM_H_
#define GONDWANA_BENCH_DOOR_SHMEM_H_

#include "../common/shmem_job.h"
#include "door.h"

#define HAS_ADD 1
#define HAS_COMPARE_SWAP 1

enum { PAGE = 4096 };

static char* own_block;
static long* reduce_work;
static long* broadcast_sync;
static long* reduce_sync;

static inline void start_door(int argc, char** argv, size_t bytes) {
  (void)argc, (void)argv;
  start_shmem();
  pin_unless_oversubscribed();
  own_block = allocate_aligned(PAGE, bytes);
}

static inline void end_door(void) {
  end_shmem();
}

static inline struct block block_of(int rank) {
  return (struct block){own_block, rank == me ? own_block : shmem_ptr(own_block, rank)};
}

static inline void meet_all(void) {
  shmem_barrier_all();
}

static inline void put_now(int rank, char* to, const char* from, size_t bytes) {
  shmem_putmem(to, from, bytes, rank);
  shmem_quiet();
}

static inline void get_now(int rank, char* to, const char* from, size_t bytes) {
  shmem_getmem(to, from, bytes, rank);
}

static inline void put_later(int rank, char* to, const char* from, size_t bytes) {
  shmem_putmem_nbi(to, from, bytes, rank);
}

static inline void complete_puts(int rank) {
  (void)rank;
  shmem_quiet();
}

static inline void put_and_tell(int rank, char* to, const char* from, size_t bytes, long* word,
                                long value) {
  shmem_putmem(to, from, bytes, rank);
  shmem_fence();
  shmem_long_p(word, value, rank);
}

static inline void wait_for(long* word, long value) {
  shmem_long_wait_until(word, SHMEM_CMP_EQ, value);
}

static inline void add(int rank, long* word) {
  shmem_long_atomic_add(word, 1, rank);
}

static inline void add_and_tell(int rank, long* word) {
  shmem_long_atomic_inc(word, rank);
}

static inline long fetch_add(int rank, long* word) {
  return shmem_long_atomic_fetch_add(word, 1, rank);
}

static inline void swap(int rank, long* word, long value) {
  (void)shmem_long_atomic_swap(word, value, rank);
}

static inline void compare_swap(int rank, long* word) {
  (void)shmem_long_atomic_compare_swap(word, 0, 1, rank);
}

static inline long* allocate_sync(size_t words) {
  long* sync = allocate_aligned(PAGE, words * sizeof *sync);
  for (size_t i = 0; i < words; ++i) sync[i] = SHMEM_SYNC_VALUE;
  return sync;
}

// Collectives of up to `words` words in the blocks.
static inline void start_collectives(size_t words) {
  const size_t least_work = SHMEM_REDUCE_MIN_WRKDATA_SIZE;
  reduce_work = allocate_aligned(PAGE, (words / 2 + 1 + least_work) * sizeof *reduce_work);
  broadcast_sync = allocate_sync(SHMEM_BCAST_SYNC_SIZE);
  reduce_sync = allocate_sync(SHMEM_REDUCE_SYNC_SIZE);
  shmem_barrier_all();
}

static inline void broadcast_words(long* to, long* from, size_t words) {
  shmem_broadcast64(to, from, words, 0, 0, 0, ranks, broadcast_sync);
}

static inline void sum_words(long* to, long* from, size_t words) {
  shmem_long_sum_to_all(to, from, (int)words, 0, 0, ranks, reduce_work, reduce_sync);
}

#endif
