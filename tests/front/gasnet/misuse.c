// misuse HOW: rank 0 does something wrong.
#include <string.h>

#include "job.h"

static uint64_t word;

static void put(gex_Rank_t rank, void* address) {
  gex_RMA_PutBlocking(job_team, rank, address, &word, sizeof(word), 0);
}

static void __attribute__((noinline)) do_wrong(const char* how) {
  uint64_t local = 0;
  char* own = (char*)job_segment;
  if (strcmp(how, "rank") == 0) put(job_ranks, own);
  if (strcmp(how, "root") == 0)
    gex_Event_Wait(gex_Coll_BroadcastNB(job_team, job_ranks + 1, &local, &word, 8, 0));
  if (strcmp(how, "stack") == 0) put(1, &local);
  if (strcmp(how, "own") == 0) put(1, own);
  if (strcmp(how, "past") == 0) put(1, (char*)job_segment_of(1) + (1 << 20) - 4);
  if (strcmp(how, "segment") == 0) {
    gex_Segment_t segment = GEX_SEGMENT_INVALID;
    gex_Segment_Attach(&segment, job_team, 1000);
    exit(1);
  }
}

int main(int argc, char** argv) {
  job_join(&argc, &argv, 1 << 20);
  if (job_me == 0) do_wrong(argv[1]);
  job_barrier();
  gasnet_exit(0);
}
