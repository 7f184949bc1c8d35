// 128 KiB in pieces of 64 bytes, scattered over four times that memory, as arrays of three
// dimensions: put from the segment of rank 0 into the segment of the last rank, on another node,
// and back.
#include "gasnet_job.h"

#include <gasnet_vis.h>

enum { PIECE = 64, STRIDE = 4 * PIECE, PIECES = 2048, BATCHES = 40, OPS = 5 };
enum { EXTENT = PIECES * STRIDE, LEVELS = 3 };

static const size_t counts[LEVELS] = {16, 16, 8};
static const ptrdiff_t strides[LEVELS] = {STRIDE, 16 * STRIDE, 256 * STRIDE};

struct ends {
  gex_TM_t team;
  gex_Rank_t peer;
  char* here;
  char* there;
};

typedef void operation(const struct ends* ends);

static void put(const struct ends* ends) {
  gex_VIS_StridedPutBlocking(ends->team, ends->peer, ends->there, strides, ends->here, strides,
                             PIECE, counts, LEVELS, 0);
}

static void get(const struct ends* ends) {
  gex_VIS_StridedGetBlocking(ends->team, ends->here, strides, ends->peer, ends->there, strides,
                             PIECE, counts, LEVELS, 0);
}

static void time_batches(const char* name, operation* run, const struct ends* ends) {
  TIME_OURS(1, 1, BATCHES, OPS, for (int j = 0; j < OPS; ++j) run(ends), "%s", name);
}

static char byte_at(int i) {
  return (char)(i % 251 + 1);
}

static void measure(const struct ends* ends) {
  for (int i = 0; i < EXTENT; ++i) ends->here[i] = byte_at(i);
  time_batches("gasnet_far_put", put, ends);
  memset(ends->here, 0, EXTENT);
  time_batches("gasnet_far_get", get, ends);
  for (int i = 0; i < EXTENT; ++i)
    require(ends->here[i] == (i % STRIDE < PIECE ? byte_at(i) : 0), "a byte is not as it was put");
}

int main(void) {
  const struct job job = start_job(NULL, 0, EXTENT);
  struct ends ends = {.team = job.team, .peer = job.ranks - 1};
  ends.here = gex_Segment_QueryAddr(job.segment);
  ends.there = find_window(&job, ends.peer).owner;
  if (job.rank == 0) measure(&ends);
  end_job(&job);
}
