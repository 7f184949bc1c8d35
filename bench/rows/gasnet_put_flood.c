// Puts of BYTES from private memory of rank 0 to rank 1, many in flight and then waited for. The
// source may be reused
//   gasnet_put_now_BYTES    when the call returns (GEX_EVENT_NOW: what GASNet-1 calls non-bulk)
//   gasnet_put_leaf_BYTES   when the event of the put is complete, waited for after each put
//   gasnet_put_defer_BYTES  when the put is complete (bulk)
// The control is memcpy between the same pages. Usage: gasnet_put_flood [BYTES]...
#include "gasnet_job.h"

enum { BATCHES = 10, MOST_PUTS = 5000, LARGEST = 2 << 20, BATCH_BYTES = 32 << 20 };

struct flood {
  gex_TM_t team;
  struct window there;
  char* source;
  size_t bytes;
  size_t puts;
  gex_Event_t* events;
};

typedef void batch(const struct flood* flood);

static void put(const struct flood* f, size_t i, gex_Event_t* local) {
  f->events[i] = gex_RMA_PutNB(f->team, 1, f->there.owner, f->source, f->bytes, local, 0);
}

static void put_now(const struct flood* f) {
  for (size_t i = 0; i < f->puts; ++i) put(f, i, GEX_EVENT_NOW);
  gex_Event_WaitAll(f->events, f->puts, 0);
}

static void put_leaf(const struct flood* f) {
  for (size_t i = 0; i < f->puts; ++i) {
    gex_Event_t local = GEX_EVENT_INVALID;
    put(f, i, &local);
    gex_Event_Wait(local);
  }
  gex_Event_WaitAll(f->events, f->puts, 0);
}

static void put_defer(const struct flood* f) {
  for (size_t i = 0; i < f->puts; ++i) put(f, i, GEX_EVENT_DEFER);
  gex_Event_WaitAll(f->events, f->puts, 0);
}

static void copy(const struct flood* f) {
  for (size_t i = 0; i < f->puts; ++i) {
    memcpy(f->there.mapped, f->source, f->bytes);
    keep_results();
  }
}

static void check(const struct flood* f, batch* run) {
  static unsigned char fill;
  memset(f->source, ++fill, f->bytes);
  memset(f->there.mapped, 0, f->bytes + 1);
  run(f);
  require(memcmp(f->there.mapped, f->source, f->bytes) == 0 && f->there.mapped[f->bytes] == 0,
          "not the bytes that were put");
}

static void measure(const struct flood* f, const char* way, batch* run) {
  check(f, run);
  TIME_BOTH(1, BATCHES, f->puts, run(f), copy(f), "gasnet_put_%s_%zu", way, f->bytes);
}

int main(int argc, char** argv) {
  const struct job job = start_job(NULL, 0, 2 * LARGEST);
  if (job.rank == 0) {
    static gex_Event_t events[MOST_PUTS];
    struct flood flood = {.team = job.team, .there = window_of(&job, 1), .events = events};
    flood.source = aligned_alloc(GASNET_PAGESIZE, LARGEST);
    require(flood.source != NULL, "no memory for the source");
    for (int i = 1; i < argc || i == 1; ++i) {
      flood.bytes = argument(argc, argv, i, 8192);
      require(flood.bytes >= 1 && flood.bytes <= LARGEST, "BYTES is from 1 to 2 MiB");
      flood.puts = BATCH_BYTES / flood.bytes < MOST_PUTS ? BATCH_BYTES / flood.bytes : MOST_PUTS;
      measure(&flood, "now", put_now);
      measure(&flood, "leaf", put_leaf);
      measure(&flood, "defer", put_defer);
    }
    free(flood.source);
  }
  end_job(&job);
}
