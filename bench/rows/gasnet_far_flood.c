// Active messages from rank 0 to the last rank, on another node, as fast as possible: Short with
// two arguments, Medium of 64 bytes. The time per message, from the first call until the last rank,
// which polls, has counted all and sent one message back.
#include "gasnet_job.h"

enum { BATCHES = 10, MESSAGES = 20000, WORDS = 8 };
enum { SHORT = GEX_AM_INDEX_BASE, MEDIUM, ALL_HANDLED };

static uint64_t handled;
static uint64_t sum;  // sum of the arguments of the handled messages
static uint64_t batches_done;

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

static void send_short(const struct job* job, gex_Rank_t to, int number) {
  gex_AM_RequestShort2(job->team, to, SHORT, 0, number, 2 * number);
}

static void send_medium(const struct job* job, gex_Rank_t to, int number) {
  const uint64_t words[WORDS] = {[0] = (uint64_t)number, [WORDS - 1] = 2 * (uint64_t)number};
  gex_AM_RequestMedium0(job->team, to, MEDIUM, words, sizeof words, GEX_EVENT_NOW, 0);
}

typedef void sender(const struct job* job, gex_Rank_t to, int number);

static void receive_all(const struct job* job) {
  static uint64_t end;  // the first message may arrive during a barrier
  end += MESSAGES;
  GASNET_BLOCKUNTIL(handled >= end);
  require(handled == end, "more messages than were sent");
  require(sum == end / MESSAGES * 3 * MESSAGES * (MESSAGES - 1) / 2, "a message that is wrong");
  gex_AM_RequestShort0(job->team, 0, ALL_HANDLED, 0);
}

static void flood(const struct job* job, sender* send) {
  const gex_Rank_t last = job->ranks - 1;
  if (job->rank == last) receive_all(job);
  if (job->rank != 0) return;
  const uint64_t next = batches_done + 1;
  for (int i = 0; i < MESSAGES; ++i) send(job, last, i);
  GASNET_BLOCKUNTIL(batches_done == next);
}

static void measure(const struct job* job, const char* name, sender* send) {
  TIME_OURS(job->rank == 0, 1, BATCHES, MESSAGES, flood(job, send), "%s", name);
  meet(job);
}

int main(void) {
  gex_AM_Entry_t handlers[] = {
      {SHORT, (gex_AM_Fn_t)handle_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 2, NULL, "short"},
      {MEDIUM, (gex_AM_Fn_t)handle_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL,
       "medium"},
      {ALL_HANDLED, (gex_AM_Fn_t)all_handled, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
       "all_handled"},
  };
  const struct job job = start_job(handlers, sizeof handlers / sizeof *handlers, GASNET_PAGESIZE);
  measure(&job, "gasnet_far_flood_short", send_short);
  measure(&job, "gasnet_far_flood_medium_64", send_medium);
  end_job(&job);
}
