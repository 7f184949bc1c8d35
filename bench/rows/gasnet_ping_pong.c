// An active message and its reply between ranks 0 and 1, Short without arguments and Medium of 8
// bytes, compared with a ping-pong over two lines.
#include "gasnet_lines.h"
#include "gasnet_trips.h"

enum { BATCHES = 60, TRIPS = 500 };

static void trips_by_messages(const struct job* job, sender* send) {
  if (job->rank == 1) {
    const uint64_t end = served + TRIPS;
    GASNET_BLOCKUNTIL(served == end);
    return;
  }
  for (int i = 0; i < TRIPS; ++i) {
    const uint64_t next = answered + 1;
    send(job, 1);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

static void measure(const struct job* job, struct lines* lines, const char* name, sender* send) {
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  trips_by_messages(job, send);
  go_there_and_back(lines, TRIPS);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    trips_by_messages(job, send);
    const int64_t middle = now_ns();
    go_there_and_back(lines, TRIPS);
    control_ns[i] = ns_per_op(now_ns() - middle, TRIPS);
    ours_ns[i] = ns_per_op(middle - start, TRIPS);
  }
  require(wrong == 0, "a reply without the payload of its request");
  if (job->rank != 0) return;
  report(name, "ours", ours_ns, BATCHES);
  report(name, "control", control_ns, BATCHES);
}

int main(void) {
  const struct job job = start_trips(LINE_PAIR);
  struct lines lines = lines_of(&job);
  measure(&job, &lines, "gasnet_short", send_short);
  measure(&job, &lines, "gasnet_medium_8", send_medium);
  end_job(&job);
}
