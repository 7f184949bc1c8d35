// An active message there and its reply back, Short without arguments and Medium of 8 bytes, beside
// a ping-pong over two lines. Ranks 0 and 1.
#include "gasnet_lines.h"

enum { BATCHES = 60, TRIPS = 500 };
enum { SHORT_REQUEST = GEX_AM_INDEX_BASE, SHORT_REPLY, MEDIUM_REQUEST, MEDIUM_REPLY };

static uint64_t served;  // requests handled here
static uint64_t answered;
static uint64_t wrong;  // payloads that were not the expected number

static void short_request(gex_Token_t token) {
  ++served;
  gex_AM_ReplyShort0(token, SHORT_REPLY, 0);
}

static void short_reply(gex_Token_t token) {
  (void)token;
  ++answered;
}

static void medium_request(gex_Token_t token, void* payload, size_t bytes) {
  ++served;
  gex_AM_ReplyMedium0(token, MEDIUM_REPLY, payload, bytes, GEX_EVENT_NOW, 0);
}

static void medium_reply(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  uint64_t number = 0;
  memcpy(&number, payload, sizeof number);
  if (bytes != sizeof number || number != answered) ++wrong;
  ++answered;
}

static void send_short(const struct job* job) {
  gex_AM_RequestShort0(job->team, 1, SHORT_REQUEST, 0);
}

static void send_medium(const struct job* job) {
  const uint64_t number = answered;
  gex_AM_RequestMedium0(job->team, 1, MEDIUM_REQUEST, &number, sizeof number, GEX_EVENT_NOW, 0);
}

static void trips_by_messages(const struct job* job, void (*send)(const struct job*)) {
  if (job->rank == 1) {
    const uint64_t end = served + TRIPS;
    GASNET_BLOCKUNTIL(served == end);
    return;
  }
  for (int i = 0; i < TRIPS; ++i) {
    const uint64_t next = answered + 1;
    send(job);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

static void measure(const struct job* job, struct lines* lines, const char* name,
                    void (*send)(const struct job*)) {
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
  gex_AM_Entry_t handlers[] = {
      {SHORT_REQUEST, (gex_AM_Fn_t)short_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
       "short_request"},
      {SHORT_REPLY, (gex_AM_Fn_t)short_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL,
       "short_reply"},
      {MEDIUM_REQUEST, (gex_AM_Fn_t)medium_request, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0,
       NULL, "medium_request"},
      {MEDIUM_REPLY, (gex_AM_Fn_t)medium_reply, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 0, NULL,
       "medium_reply"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, LINE_PAIR);
  struct lines lines = lines_of(&job);
  measure(&job, &lines, "gasnet_short", send_short);
  measure(&job, &lines, "gasnet_medium_8", send_medium);
  end_job(&job);
}
