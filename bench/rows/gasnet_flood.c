// Active messages Short without arguments from rank 0 to rank 1, as fast as possible: the time per
// message, from the first call until rank 1 has announced that all were handled. The control is the
// round trip of a ping-pong over two lines.
#include "gasnet_lines.h"

enum { BATCHES = 30, MESSAGES = 10000, TRIPS = 500 };
enum { MESSAGE = GEX_AM_INDEX_BASE, ALL_HANDLED };

static uint64_t handled;
static uint64_t batches_done;

static void message(gex_Token_t token) {
  (void)token;
  ++handled;
}

static void all_handled(gex_Token_t token) {
  (void)token;
  ++batches_done;
}

static void flood(const struct job* job) {
  if (job->rank == 1) {
    const uint64_t end = handled + MESSAGES;
    GASNET_BLOCKUNTIL(handled >= end);
    require(handled == end, "more messages than were sent");
    gex_AM_RequestShort0(job->team, 0, ALL_HANDLED, 0);
    return;
  }
  const uint64_t next = batches_done + 1;
  for (int i = 0; i < MESSAGES; ++i) gex_AM_RequestShort0(job->team, 1, MESSAGE, 0);
  GASNET_BLOCKUNTIL(batches_done == next);
}

int main(void) {
  gex_AM_Entry_t handlers[] = {
      {MESSAGE, (gex_AM_Fn_t)message, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "message"},
      {ALL_HANDLED, (gex_AM_Fn_t)all_handled, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
       "all_handled"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, LINE_PAIR);
  struct lines lines = lines_of(&job);
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  flood(&job);
  go_there_and_back(&lines, TRIPS);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    flood(&job);
    const int64_t middle = now_ns();
    go_there_and_back(&lines, TRIPS);
    control_ns[i] = ns_per_op(now_ns() - middle, TRIPS);
    ours_ns[i] = ns_per_op(middle - start, MESSAGES);
  }
  report_both(job.rank == 0, ours_ns, control_ns, BATCHES, "gasnet_flood");
  end_job(&job);
}
