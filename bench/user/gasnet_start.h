// The start and the end of a measuring program of GASNet-EX.
#ifndef GONDWANA_BENCH_GASNET_START_H_
#define GONDWANA_BENCH_GASNET_START_H_

#include <gasnetex.h>

static gex_TM_t world;

static inline void require(int true_here, const char* what) {
  if (true_here) return;
  fprintf(stderr, "bench: rank %u: %s\n", gex_System_QueryJobRank(), what);
  gasnet_exit(1);
}

static inline void meet(void) {
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
}

// With a segment of that many bytes at least.
static inline void start_gasnet(gex_AM_Entry_t* handlers, size_t count, size_t bytes) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  const size_t pages = (bytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE;
  require(gex_Client_Init(&client, &endpoint, &world, "bench", NULL, NULL, 0) == GASNET_OK,
          "gex_Client_Init failed");
  require(gex_EP_RegisterHandlers(endpoint, handlers, count) == GASNET_OK,
          "gex_EP_RegisterHandlers failed");
  require(gex_Segment_Attach(&segment, world, pages * GASNET_PAGESIZE) == GASNET_OK,
          "no memory for the segment on each rank; ask for fewer bytes with -m");
}

// The segment of a rank: its address there, and here (NULL: not mapped).
static inline void find_segment(gex_Rank_t rank, char** owner, char** mapped) {
  void* there = NULL;
  void* here = NULL;
  uintptr_t bytes = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &there, &here, &bytes, 0));
  *owner = there;
  *mapped = here;
}

#endif
