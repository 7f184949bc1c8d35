// The door of GASNet-EX. The segment of a rank is its block.
#ifndef GONDWANA_BENCH_DOOR_GASNET_H_
#define GONDWANA_BENCH_DOOR_GASNET_H_

#include "../rows/gasnet_job.h"
#include "door.h"

#include <gasnet_coll.h>
#include <gasnet_ratomic.h>

#define HAS_ADD 0
#define HAS_COMPARE_SWAP 1

static struct job started;
static gex_TM_t world;
static gex_AD_t domain;

static inline void start_door_with_handlers(gex_AM_Entry_t* handlers, size_t count, size_t bytes) {
  started = start_job(handlers, count, bytes);
  pin_unless_oversubscribed();
  world = started.team;
  gex_AD_Create(&domain, world, GEX_DT_I64, GEX_OP_FADD | GEX_OP_SWAP | GEX_OP_FCAS, 0);
}

static inline void start_door(int argc, char** argv, size_t bytes) {
  (void)argc, (void)argv;
  start_door_with_handlers(NULL, 0, bytes);
}

static inline void end_door(void) {
  gex_AD_Destroy(domain);
  end_job(&started);
}

static inline struct block block_of(int rank) {
  const struct window window = find_window(&started, (gex_Rank_t)rank);
  return (struct block){window.owner, window.mapped};
}

static inline void meet_all(void) {
  meet(&started);
}

static inline void put_now(int rank, char* to, const char* from, size_t bytes) {
  gex_RMA_PutBlocking(world, (gex_Rank_t)rank, to, (void*)from, bytes, 0);
}

static inline void get_now(int rank, char* to, const char* from, size_t bytes) {
  gex_RMA_GetBlocking(world, to, (gex_Rank_t)rank, (void*)from, bytes, 0);
}

static inline void put_later(int rank, char* to, const char* from, size_t bytes) {
  gex_RMA_PutNBI(world, (gex_Rank_t)rank, to, (void*)from, bytes, GEX_EVENT_DEFER, 0);
}

static inline void complete_puts(int rank) {
  (void)rank;
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

static inline void put_and_tell(int rank, char* to, const char* from, size_t bytes, long* word,
                                long value) {
  put_now(rank, to, from, bytes);
  gex_RMA_PutBlocking(world, (gex_Rank_t)rank, word, &value, sizeof value, 0);
}

static inline void wait_for(long* word, long value) {
  _Atomic long* polled = (_Atomic long*)word;
  GASNET_BLOCKUNTIL(atomic_load_explicit(polled, memory_order_acquire) == value);
}

// Performs one atomic operation on a word of another rank. Returns the old value.
static inline int64_t operate(int rank, long* word, gex_OP_t op, int64_t one, int64_t two) {
  int64_t old = 0;
  gex_Event_Wait(gex_AD_OpNB_I64(domain, &old, (gex_Rank_t)rank, word, op, one, two, 0));
  return old;
}

static inline long fetch_add(int rank, long* word) {
  return operate(rank, word, GEX_OP_FADD, 1, 0);
}

static inline void add_and_tell(int rank, long* word) {
  (void)fetch_add(rank, word);
}

static inline void swap(int rank, long* word, long value) {
  (void)operate(rank, word, GEX_OP_SWAP, value, 0);
}

static inline void compare_swap(int rank, long* word) {
  (void)operate(rank, word, GEX_OP_FCAS, 0, 1);
}

static inline void start_collectives(size_t words) {
  (void)words;
}

static inline void broadcast_words(long* to, long* from, size_t words) {
  gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, to, from, words * sizeof *from, 0));
}

static inline void sum_words(long* to, long* from, size_t words) {
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, to, from, GEX_DT_I64, sizeof *from, words,
                                        GEX_OP_ADD, NULL, NULL, 0));
}

#endif
