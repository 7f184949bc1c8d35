// Active messages from rank 0 to the last rank, as fast as possible: the time per message, from the
// first call until the last rank, which polls, has counted all messages and sent one back.
//
// Short without arguments; the control is the round trip of a ping-pong over two lines. With "far"
// the ranks are on different nodes: Short with two arguments, and Medium of 64 bytes. Usage:
// gasnet_flood [far]
#include "gasnet_lines.h"

enum { BATCHES = 30, MESSAGES = 10000, TRIPS = 500, FAR_BATCHES = 10, FAR_MESSAGES = 20000 };
enum { EMPTY = GEX_AM_INDEX_BASE, SHORT, MEDIUM, ALL_HANDLED, WORDS = 8 };

static uint64_t handled;
static uint64_t sum;  // sum of the arguments of the handled messages
static uint64_t batches_done;

static void handle_empty(gex_Token_t token) {
  (void)token;
  ++handled;
}

static void handle_short(gex_Token_t token, gex_AM_Arg_t number, gex_AM_Arg_t twice) {
  (void)token;
  ++handled;
  sum += (uint64_t)number + (uint64_t)twice;
}

static void handle_medium(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  uint64_t words[WORDS] = {0};
  if (bytes == sizeof words) memcpy(words, payload, sizeof words);
  ++handled;
  sum += words[0] + words[WORDS - 1];
}

static void all_handled(gex_Token_t token) {
  (void)token;
  ++batches_done;
}

static void send_empty(const struct job* job, gex_Rank_t to, int number) {
  (void)number;
  gex_AM_RequestShort0(job->team, to, EMPTY, 0);
}

static void send_short(const struct job* job, gex_Rank_t to, int number) {
  gex_AM_RequestShort2(job->team, to, SHORT, 0, number, 2 * number);
}

static void send_medium(const struct job* job, gex_Rank_t to, int number) {
  const uint64_t words[WORDS] = {[0] = (uint64_t)number, [WORDS - 1] = 2 * (uint64_t)number};
  gex_AM_RequestMedium0(job->team, to, MEDIUM, words, sizeof words, GEX_EVENT_NOW, 0);
}

typedef void sender(const struct job* job, gex_Rank_t to, int number);

static void receive_all(const struct job* job, int messages) {
  static uint64_t end;  // the first message may arrive during a barrier
  end += (uint64_t)messages;
  GASNET_BLOCKUNTIL(handled >= end);
  require(handled == end, "more messages than were sent");
  gex_AM_RequestShort0(job->team, 0, ALL_HANDLED, 0);
}

// Inline, so that the timed loop calls `send` directly.
__attribute__((always_inline)) static inline void flood(const struct job* job, sender* send,
                                                        int messages) {
  const gex_Rank_t last = job->ranks - 1;
  if (job->rank == last) receive_all(job, messages);
  if (job->rank != 0) return;
  const uint64_t next = batches_done + 1;
  for (int i = 0; i < messages; ++i) send(job, last, i);
  GASNET_BLOCKUNTIL(batches_done == next);
}

static void measure(const struct job* job) {
  struct lines lines = lines_of(job);
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  flood(job, send_empty, MESSAGES);
  go_there_and_back(&lines, TRIPS);
  for (int i = 0; i < BATCHES; ++i) {
    const int64_t start = now_ns();
    flood(job, send_empty, MESSAGES);
    const int64_t middle = now_ns();
    go_there_and_back(&lines, TRIPS);
    control_ns[i] = ns_per_op(now_ns() - middle, TRIPS);
    ours_ns[i] = ns_per_op(middle - start, MESSAGES);
  }
  report_both(job->rank == 0, ours_ns, control_ns, BATCHES, "gasnet_flood");
}

static void measure_far(const struct job* job, const char* name, sender* send) {
  const uint64_t batches = FAR_BATCHES + 1;
  sum = 0;
  meet(job);
  TIME_OURS(job->rank == 0, 1, FAR_BATCHES, FAR_MESSAGES, flood(job, send, FAR_MESSAGES),
            "gasnet_far_flood_%s", name);
  require(job->rank != job->ranks - 1 || sum == batches * 3 * FAR_MESSAGES * (FAR_MESSAGES - 1) / 2,
          "a message that is wrong");
  meet(job);
}

int main(int argc, char** argv) {
  const gex_Flags_t request = GEX_FLAG_AM_REQUEST;
  gex_AM_Entry_t handlers[] = {
      {EMPTY, (gex_AM_Fn_t)handle_empty, request | GEX_FLAG_AM_SHORT, 0, NULL, "empty"},
      {SHORT, (gex_AM_Fn_t)handle_short, request | GEX_FLAG_AM_SHORT, 2, NULL, "short"},
      {MEDIUM, (gex_AM_Fn_t)handle_medium, request | GEX_FLAG_AM_MEDIUM, 0, NULL, "medium"},
      {ALL_HANDLED, (gex_AM_Fn_t)all_handled, request | GEX_FLAG_AM_SHORT, 0, NULL, "all_handled"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, GASNET_PAGESIZE);
  if (argc > 1 && strcmp(argv[1], "far") == 0) {
    measure_far(&job, "short", send_short);
    measure_far(&job, "medium_64", send_medium);
  } else {
    measure(&job);
  }
  end_job(&job);
}
