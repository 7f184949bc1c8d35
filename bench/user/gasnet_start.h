// The start and the end of a measuring program of GASNet-EX.
#ifndef GONDWANA_BENCH_GASNET_START_H_
#define GONDWANA_BENCH_GASNET_START_H_

#include "../rows/gasnet_job.h"

static struct job started;
static gex_TM_t world;

static inline void meet_all(void) {
  meet(&started);
}

// The segment has at least `bytes` bytes.
static inline void start_gasnet(gex_AM_Entry_t* handlers, size_t count, size_t bytes) {
  started = start_job(handlers, count, bytes);
  world = started.team;
}

// The segment of a rank: its owner's address, and its mapping here (NULL: not mapped).
static inline void find_segment(gex_Rank_t rank, char** owner, char** mapped) {
  void* there = NULL;
  void* here = NULL;
  uintptr_t bytes = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &there, &here, &bytes, 0));
  *owner = there;
  *mapped = here;
}

#endif
