// An active message and its reply between the first and the last rank, Short without arguments and
// Medium of 8 bytes, compared with a ping-pong over two lines. With "far" the ranks are on
// different nodes, without a control: a wake-up over the network may place two processes on one
// processor. The warm-up lasts longer than the scheduler takes to separate them. Usage:
// gasnet_ping_pong [far]
#include "gasnet_lines.h"
#include "gasnet_trips.h"

enum { BATCHES = 60, TRIPS = 500, FAR_TRIPS = 2000, WARM_UP = 8000 };

// Rank 0 stores the time of each trip in the samples, if there are any.
static void trips_by_messages(const struct job* job, sender* send, int trips, double* samples) {
  static uint64_t end;  // static: the first message may arrive while this rank leaves a barrier
  end += (uint64_t)trips;
  if (job->rank == job->ranks - 1) GASNET_BLOCKUNTIL(served == end);
  for (int i = 0; job->rank == 0 && i < trips; ++i) {
    const uint64_t next = answered + 1;
    const int64_t start = samples == NULL ? 0 : now_ns();
    send(job, job->ranks - 1);
    GASNET_BLOCKUNTIL(answered == next);
    if (samples != NULL) samples[i] = (double)(now_ns() - start);
  }
  require(wrong == 0, "a reply without the payload of its request");
}

static void measure(const struct job* job, struct lines* lines, const char* name, sender* send) {
  trips_by_messages(job, send, TRIPS, NULL);
  go_there_and_back(lines, TRIPS);
  TIME_BOTH(job->rank == 0, BATCHES, TRIPS, trips_by_messages(job, send, TRIPS, NULL),
            go_there_and_back(lines, TRIPS), "gasnet_%s", name);
}

static void measure_far(const struct job* job, const char* name, sender* send) {
  double* samples = new_samples(FAR_TRIPS);
  trips_by_messages(job, send, WARM_UP, NULL);
  trips_by_messages(job, send, FAR_TRIPS, samples);
  report_ours(job->rank == 0, samples, FAR_TRIPS, "network_am_%s", name);
  meet(job);
}

int main(int argc, char** argv) {
  const struct job job = start_trips(LINE_PAIR);
  if (argc > 1 && strcmp(argv[1], "far") == 0) {
    measure_far(&job, "short", send_short);
    measure_far(&job, "medium_8", send_medium);
  } else {
    struct lines lines = lines_of(&job);
    measure(&job, &lines, "short", send_short);
    measure(&job, &lines, "medium_8", send_medium);
  }
  end_job(&job);
}
