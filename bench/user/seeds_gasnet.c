// The measurements of `gondwana bench seeds --door gasnetex`. Each has a control in the same
// rounds, which does the same without the feature. It prints a line for each round: measurement, 0,
// nanoseconds of one operation and of its control.
//
// Usage: seeds_gasnet seeds ROUNDS
//
// medium_4K, medium_32K: a Medium from rank 0 to rank 1 and its reply, written in a buffer of the
// library (negotiated payload). The control writes them in a buffer of the client.
//
// immediate: Mediums of 4032 bytes with GEX_FLAG_IMMEDIATE to all other ranks, which sleep 500 us
// between two polls. The control is a schedule that waits for space.
#include "../rows/gasnet_schedule.h"

enum { TRIPS = 200, LARGEST = 32 << 10, MESSAGES = 1000, BLOCK = 1 };
enum { SLEEPER = GEX_AM_INDEX_BASE, NEGOTIATED, FIXED, REPLY };

static _Alignas(LINE_PAIR) uint32_t own_payload[LARGEST / sizeof(uint32_t)];
static uint64_t served;
static uint64_t answered;
static uint64_t wrong;

static void make(void* payload, size_t bytes, uint32_t first) {
  uint32_t* to = payload;
  for (size_t i = 0; i < bytes / sizeof *to; ++i) to[i] = first + (uint32_t)i;
}

// Reads the first and the last word: reading everything would be measured too.
static void look_at(const void* payload, size_t bytes, gex_AM_Arg_t first) {
  const uint32_t* from = payload;
  const size_t last = bytes / sizeof *from - 1;
  wrong += from[0] != (uint32_t)first || from[last] != (uint32_t)first + (uint32_t)last;
}

static void negotiated(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  look_at(payload, bytes, first);
  ++served;
  gex_AM_SrcDesc_t answer = gex_AM_PrepareReplyMedium(token, NULL, bytes, bytes, NULL, 0, 1);
  make(gex_AM_SrcDescAddr(answer), bytes, (uint32_t)first);
  gex_AM_CommitReplyMedium1(answer, REPLY, bytes, first);
}

static void fixed(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  look_at(payload, bytes, first);
  ++served;
  make(own_payload, bytes, (uint32_t)first);
  gex_AM_ReplyMedium1(token, REPLY, own_payload, bytes, GEX_EVENT_NOW, 0, first);
}

static void reply(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)token;
  look_at(payload, bytes, first);
  ++answered;
}

static void send(const struct job* job, gex_AM_Index_t handler, size_t bytes, gex_AM_Arg_t first) {
  if (handler == FIXED) {
    make(own_payload, bytes, (uint32_t)first);
    gex_AM_RequestMedium1(job->team, 1, FIXED, own_payload, bytes, GEX_EVENT_NOW, 0, first);
    return;
  }
  gex_AM_SrcDesc_t request =
      gex_AM_PrepareRequestMedium(job->team, 1, NULL, bytes, bytes, NULL, 0, 1);
  make(gex_AM_SrcDescAddr(request), bytes, (uint32_t)first);
  gex_AM_CommitRequestMedium1(request, NEGOTIATED, bytes, first);
}

static double time_trips(const struct job* job, gex_AM_Index_t handler, size_t bytes) {
  const uint64_t end = served + TRIPS;  // the first may arrive while this rank waits for the others
  meet(job);
  const int64_t start = now_ns();
  if (job->rank == 1) GASNET_BLOCKUNTIL(served == end);
  for (size_t i = 0; job->rank == 0 && i < TRIPS; ++i) {
    const uint64_t next = answered + 1;
    send(job, handler, bytes, (gex_AM_Arg_t)next);
    GASNET_BLOCKUNTIL(answered == next);
  }
  const double ns = ns_per_op(now_ns() - start, TRIPS);
  meet(job);
  require(wrong == 0, "a payload is not as it was made");
  return ns;
}

static void print(const struct job* job, const char* name, double ours, double control) {
  if (job->rank == 0) print_round(name, 0, ours, control);
}

static void measure_trips(const struct job* job, const char* name, size_t bytes, size_t rounds) {
  time_trips(job, NEGOTIATED, bytes);
  time_trips(job, FIXED, bytes);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_trips(job, NEGOTIATED, bytes);
    print(job, name, ours, time_trips(job, FIXED, bytes));
  }
}

static void measure_immediate(const struct job* job, size_t rounds) {
  const gex_Rank_t last = job->ranks - 1;
  const struct schedule schedule = {job, SLEEPER, last, MESSAGES / last, BLOCK};
  const double messages = (double)(schedule.messages * last);
  for (size_t round = 0; round < rounds; ++round) {
    const double ours = time_schedule(&schedule, send_dynamic) / messages;
    print(job, "immediate", ours, time_schedule(&schedule, send_static) / messages);
  }
}

int main(int argc, char** argv) {
  const gex_Flags_t request = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST;
  gex_AM_Entry_t handlers[] = {
      {SLEEPER, (gex_AM_Fn_t)on_message, request, 0, NULL, "sleeper"},
      {NEGOTIATED, (gex_AM_Fn_t)negotiated, request, 1, NULL, "negotiated"},
      {FIXED, (gex_AM_Fn_t)fixed, request, 1, NULL, "fixed"},
      {REPLY, (gex_AM_Fn_t)reply, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL, "reply"},
  };
  const size_t rounds = argument(argc, argv, 2, 20);
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, GASNET_PAGESIZE);
  require(job.ranks <= MOST_RANKS, "at most 64 ranks");
  measure_trips(&job, "medium_4K", 4 << 10, rounds);
  measure_trips(&job, "medium_32K", LARGEST, rounds);
  measure_immediate(&job, rounds);
  end_job(&job);
}
