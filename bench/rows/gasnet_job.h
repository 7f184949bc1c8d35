// The start and end of every GASNet-EX row: a client, handlers, a segment, and local mappings of
// the others' segments, for the controls.
#ifndef GONDWANA_BENCH_GASNET_JOB_H_
#define GONDWANA_BENCH_GASNET_JOB_H_

#include "../common/measure.h"

#include <gasnetex.h>
#include <stdatomic.h>

struct job {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  gex_Rank_t rank;
  gex_Rank_t ranks;
};

// The memory of another rank: its address there, for calls, and its mapping here, for the controls.
struct window {
  gex_Rank_t rank;
  char* owner;
  char* mapped;
};

static inline void meet(const struct job* job) {
  gex_Event_Wait(gex_Coll_BarrierNB(job->team, 0));
}

static inline struct job start_job(gex_AM_Entry_t* handlers, size_t count, size_t segment_bytes) {
  struct job job;
  const size_t pages = (segment_bytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE;
  require(
      gex_Client_Init(&job.client, &job.endpoint, &job.team, "bench", NULL, NULL, 0) == GASNET_OK,
      "gex_Client_Init failed");
  job.rank = gex_TM_QueryRank(job.team);
  job.ranks = gex_TM_QuerySize(job.team);
  enter_job((int)job.rank, (int)job.ranks, gasnet_exit);
  require(gex_EP_RegisterHandlers(job.endpoint, handlers, count) == GASNET_OK,
          "gex_EP_RegisterHandlers failed");
  require(gex_Segment_Attach(&job.segment, job.team, pages * GASNET_PAGESIZE) == GASNET_OK,
          "no memory for the segment on each rank; ask for fewer bytes (gondwana bench: with -m)");
  meet(&job);
  return job;
}

// Ends the program of every rank.
static inline void end_job(const struct job* job) {
  meet(job);
  gasnet_exit(0);
}

// Its mapping is NULL for a rank on another node.
static inline struct window find_window(const struct job* job, gex_Rank_t rank) {
  void* owner = NULL;
  void* mapped = NULL;
  uintptr_t bytes = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(job->team, rank, &owner, &mapped, &bytes, 0));
  return (struct window){rank, owner, mapped};
}

static inline struct window window_of(const struct job* job, gex_Rank_t rank) {
  const struct window window = find_window(job, rank);
  require(window.mapped != NULL,
          "the memory of another rank is not mapped here: no control is possible");
  return window;
}

#endif
