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
  trips_by_messages(job, send);
  go_there_and_back(lines, TRIPS);
  TIME_BOTH(job->rank == 0, BATCHES, TRIPS, trips_by_messages(job, send),
            go_there_and_back(lines, TRIPS), "%s", name);
  require(wrong == 0, "a reply without the payload of its request");
}

int main(void) {
  const struct job job = start_trips(LINE_PAIR);
  struct lines lines = lines_of(&job);
  measure(&job, &lines, "gasnet_short", send_short);
  measure(&job, &lines, "gasnet_medium_8", send_medium);
  end_job(&job);
}
