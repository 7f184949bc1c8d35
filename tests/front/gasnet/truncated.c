// truncated BYTES [get]: rank 1 makes a segment of a file and then truncates the file. Rank 0, on
// another node, puts or gets BYTES bytes beyond the new end.
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier): memfd_create
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "job.h"

enum { size = 1 << 20 };

int main(int argc, char** argv) {
  job_join(&argc, &argv, 1 << 20);
  const size_t bytes = argc > 1 ? (size_t)atol(argv[1]) : 8;
  gex_EP_t endpoint = gex_TM_QueryEP(job_team);
  gex_Client_t client = gex_EP_QueryClient(endpoint);
  const int file = memfd_create("client", 0);
  CHECK(file >= 0 && ftruncate(file, size) == 0);
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(memory != MAP_FAILED);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t more = GEX_EP_INVALID;
  CHECK(gex_Segment_Create(&segment, client, memory, size, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_EP_Create(&more, client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(more, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(job_team, &more, 1, 0) == GASNET_OK);
  if (job_me == 1) CHECK(ftruncate(file, 4096) == 0);
  job_barrier();
  if (job_me == 0) {
    static char here[size / 2];
    void* there = NULL;
    gex_TM_t pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(more));
    CHECK(gex_Segment_QueryBound(pair, 1, &there, NULL, NULL) == GASNET_OK);
    char* beyond = (char*)there + size / 2;
    if (argc > 2)
      CHECK(gex_RMA_GetBlocking(pair, here, 1, beyond, bytes, 0) == GASNET_OK);
    else
      CHECK(gex_RMA_PutBlocking(pair, 1, beyond, here, bytes, 0) == GASNET_OK);
    puts("the transfer has returned");
  }
  job_barrier();
  gasnet_exit(0);
}
