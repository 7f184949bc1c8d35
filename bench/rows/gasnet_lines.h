// A ping-pong between ranks 0 and 1 over two lines, one at the start of each segment, with plain
// stores and loads: the control of a message between them.
#ifndef GONDWANA_BENCH_GASNET_LINES_H_
#define GONDWANA_BENCH_GASNET_LINES_H_

#include "gasnet_job.h"

// Each rank waits on its own word. Numbers only grow, so an old number cannot be mistaken for a new
// one.
struct lines {
  _Atomic uint64_t* mine;
  _Atomic uint64_t* theirs;
  uint64_t trips;  // trips so far
  int begins;
};

static inline struct lines lines_of(const struct job* job) {
  const struct window mine = window_of(job, job->rank);
  const struct window theirs = window_of(job, 1 - job->rank);
  return (struct lines){(_Atomic uint64_t*)(void*)mine.mapped,
                        (_Atomic uint64_t*)(void*)theirs.mapped, 0, job->rank == 0};
}

static inline void wait_for_trip(_Atomic uint64_t* word, uint64_t trip) {
  for (unsigned looks = 0; atomic_load_explicit(word, memory_order_acquire) != trip; ++looks)
    let_others_run(looks);
}

static inline void go_there_and_back(struct lines* lines, size_t trips) {
  for (size_t i = 0; i < trips; ++i) {
    const uint64_t trip = ++lines->trips;
    if (lines->begins) atomic_store_explicit(lines->theirs, trip, memory_order_release);
    wait_for_trip(lines->mine, trip);
    if (!lines->begins) atomic_store_explicit(lines->theirs, trip, memory_order_release);
  }
}

#endif
