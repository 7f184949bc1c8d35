// The round trip of an active message and its reply between the first and the last rank, on
// different nodes; the target polls. A wake-up over the network may place two processes on one
// processor. The warm-up lasts longer than the scheduler takes to separate them.
#include "gasnet_trips.h"

enum { TRIPS = 2000, WARM_UP = 8000 };

static void measure(const struct job* job, const char* name, sender* send) {
  const gex_Rank_t last = job->ranks - 1;
  static uint64_t end;  // the first may have come while this rank was still leaving a barrier
  end += WARM_UP + TRIPS;
  if (job->rank == last) GASNET_BLOCKUNTIL(served == end);
  if (job->rank == 0) {
    double* samples = new_samples(TRIPS);
    for (int i = -WARM_UP; i < TRIPS; ++i) {
      const uint64_t next = answered + 1;
      const int64_t start = now_ns();
      send(job, last);
      GASNET_BLOCKUNTIL(answered == next);
      if (i >= 0) samples[i] = (double)(now_ns() - start);
    }
    require(wrong == 0, "a reply without the payload of its request");
    report(name, "ours", samples, TRIPS);
  }
  meet(job);
}

int main(void) {
  const struct job job = start_trips(GASNET_PAGESIZE);
  measure(&job, "network_am_short", send_short);
  measure(&job, "network_am_medium_8", send_medium);
  end_job(&job);
}
