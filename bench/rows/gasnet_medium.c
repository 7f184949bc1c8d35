// An active message Medium of BYTES and its reply of the same size. Each is filled with consecutive
// integers on the fly: in a buffer of the client (fixed payload) or of the library (negotiated
// payload). Handlers do not read a payload, as in the testam of the seed, so its lines stay with
// the processor that wrote them. In the figures with _read, handlers add the integers up. After the
// timed batches come some whose handlers check each byte.
//
// Figures gasnet_fixed_BYTES, gasnet_negotiated_BYTES, gasnet_fixed_read_BYTES and
// gasnet_negotiated_read_BYTES. Their control copies the same number of bytes, which no loop
// generates, into a shared mailbox, announces them by a flag and copies them out, there and back.
// Usage: gasnet_medium [BYTES]...
#include "gasnet_lines.h"

enum { BATCHES = 25, LARGEST = 64 << 10, LOOKS = 50, INTEGERS_AT_ONCE = 16 };
enum { BASE = GEX_AM_INDEX_BASE };
enum { FIXED = BASE, NEGOTIATED, FIXED_READ, NEGOTIATED_READ, CHECKED };  // the requests
enum { REPLY = CHECKED + 1, READ_REPLY, CHECKED_REPLY };

typedef uint32_t integer;

struct mailbox {
  struct {
    _Alignas(LINE_PAIR) _Atomic uint64_t trip;  // used by the ping-pong over lines, not here
    _Alignas(LINE_PAIR) _Atomic uint64_t sent;
  } flags;
  _Alignas(LINE_PAIR) char payload[LARGEST];
};

static _Alignas(LINE_PAIR) integer own_payload[LARGEST / sizeof(integer)];
static uint64_t served;
static uint64_t answered;
static uint64_t wrong;            // payloads with wrong contents
static volatile uint64_t summed;  // volatile, so that the sum is computed

// Writes sixteen integers at a time, which compilers vectorize, then single integers, then single
// bytes.
static void generate(void* payload, size_t bytes, integer first) {
  integer* to = payload;
  const size_t count = bytes / sizeof *to;
  size_t i = 0;
  for (; i + INTEGERS_AT_ONCE <= count; i += INTEGERS_AT_ONCE) {
    for (integer j = 0; j < INTEGERS_AT_ONCE; ++j) to[i + j] = first + (integer)i + j;
  }
  for (; i < count; ++i) to[i] = first + (integer)i;
  if (bytes % sizeof *to != 0) memset(to + count, (int)(first & 0xff), bytes % sizeof *to);
}

static uint64_t sum_of(const void* payload, size_t bytes) {
  const integer* from = payload;
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes / sizeof *from; ++i) sum += from[i];
  return sum;
}

static int as_generated(const void* payload, size_t bytes, integer first) {
  const integer* from = payload;
  const size_t count = bytes / sizeof *from;
  for (size_t i = 0; i < count; ++i) {
    if (from[i] != first + (integer)i) return 0;
  }
  const unsigned char* rest = (const unsigned char*)(from + count);
  for (size_t i = 0; i < bytes % sizeof *from; ++i) {
    if (rest[i] != (first & 0xff)) return 0;
  }
  return 1;
}

static void reply_fixed(gex_Token_t token, gex_AM_Index_t handler, size_t bytes,
                        gex_AM_Arg_t first) {
  generate(own_payload, bytes, (integer)first);
  gex_AM_ReplyMedium1(token, handler, own_payload, bytes, GEX_EVENT_NOW, 0, first);
}

static void reply_negotiated(gex_Token_t token, gex_AM_Index_t handler, size_t bytes,
                             gex_AM_Arg_t first) {
  gex_AM_SrcDesc_t descriptor = gex_AM_PrepareReplyMedium(token, NULL, bytes, bytes, NULL, 0, 1);
  generate(gex_AM_SrcDescAddr(descriptor), bytes, (integer)first);
  gex_AM_CommitReplyMedium1(descriptor, handler, bytes, first);
}

static void fixed(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)payload;
  ++served;
  reply_fixed(token, REPLY, bytes, first);
}

static void negotiated(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)payload;
  ++served;
  reply_negotiated(token, REPLY, bytes, first);
}

static void fixed_read(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  ++served;
  summed = sum_of(payload, bytes);
  reply_fixed(token, READ_REPLY, bytes, first);
}

static void negotiated_read(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  ++served;
  summed = sum_of(payload, bytes);
  reply_negotiated(token, READ_REPLY, bytes, first);
}

static void checked(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  ++served;
  if (!as_generated(payload, bytes, (integer)first)) ++wrong;
  if (first % 2 == 0)
    reply_fixed(token, CHECKED_REPLY, bytes, first);
  else
    reply_negotiated(token, CHECKED_REPLY, bytes, first);
}

static void reply(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)token, (void)payload, (void)bytes, (void)first;
  ++answered;
}

static void reply_read(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)token, (void)first;
  summed = sum_of(payload, bytes);
  ++answered;
}

static void reply_checked(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t first) {
  (void)token;
  if (!as_generated(payload, bytes, (integer)first)) ++wrong;
  ++answered;
}

static int is_fixed(gex_AM_Index_t handler, gex_AM_Arg_t first) {
  return handler == FIXED || handler == FIXED_READ || (handler == CHECKED && first % 2 == 0);
}

static void send(const struct job* job, gex_AM_Index_t handler, size_t bytes, gex_AM_Arg_t first) {
  if (is_fixed(handler, first)) {
    generate(own_payload, bytes, (integer)first);
    gex_AM_RequestMedium1(job->team, 1, handler, own_payload, bytes, GEX_EVENT_NOW, 0, first);
    return;
  }
  gex_AM_SrcDesc_t descriptor =
      gex_AM_PrepareRequestMedium(job->team, 1, NULL, bytes, bytes, NULL, 0, 1);
  generate(gex_AM_SrcDescAddr(descriptor), bytes, (integer)first);
  gex_AM_CommitRequestMedium1(descriptor, handler, bytes, first);
}

static void trips_by_messages(const struct job* job, gex_AM_Index_t handler, size_t bytes,
                              size_t trips) {
  if (job->rank == 1) {
    const uint64_t end = served + trips;
    GASNET_BLOCKUNTIL(served == end);
    return;
  }
  for (size_t i = 0; i < trips; ++i) {
    const uint64_t next = answered + 1;
    send(job, handler, bytes, (gex_AM_Arg_t)next);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

struct mailboxes {
  struct mailbox* mine;
  struct mailbox* theirs;
  uint64_t trips;  // trips so far
};

static void give(struct mailbox* to, size_t bytes, uint64_t trip) {
  memcpy(to->payload, own_payload, bytes);
  atomic_store_explicit(&to->flags.sent, trip, memory_order_release);
}

static void take(struct mailbox* from, size_t bytes, uint64_t trip) {
  wait_for_trip(&from->flags.sent, trip);
  memcpy(own_payload, from->payload, bytes);
}

static void trips_by_mailbox(const struct job* job, struct mailboxes* boxes, size_t bytes,
                             size_t trips) {
  for (size_t i = 0; i < trips; ++i) {
    const uint64_t trip = ++boxes->trips;
    if (job->rank == 0) give(boxes->theirs, bytes, trip);
    take(boxes->mine, bytes, trip);
    if (job->rank == 1) give(boxes->theirs, bytes, trip);
  }
}

static void measure(const struct job* job, struct mailboxes* boxes, size_t bytes) {
  static const struct {
    gex_AM_Index_t handler;
    const char* name;
  } ways[] = {{FIXED, "fixed"},
              {NEGOTIATED, "negotiated"},
              {FIXED_READ, "fixed_read"},
              {NEGOTIATED_READ, "negotiated_read"}};
  enum { WAYS = sizeof ways / sizeof *ways };
  const size_t trips = bytes <= 4096 ? 500 : 100;
  double* ours_ns[WAYS];
  double* control_ns[WAYS];
  for (int way = 0; way < WAYS; ++way) {
    ours_ns[way] = new_samples(BATCHES);
    control_ns[way] = new_samples(BATCHES);
    trips_by_messages(job, ways[way].handler, bytes, trips);
  }
  for (int i = 0; i < BATCHES; ++i) {
    for (int way = 0; way < WAYS; ++way) {
      const int64_t start = now_ns();
      trips_by_messages(job, ways[way].handler, bytes, trips);
      const int64_t middle = now_ns();
      trips_by_mailbox(job, boxes, bytes, trips);
      control_ns[way][i] = ns_per_op(now_ns() - middle, trips);
      ours_ns[way][i] = ns_per_op(middle - start, trips);
    }
  }
  trips_by_messages(job, CHECKED, bytes, LOOKS);
  require(wrong == 0, "a payload that is not as generated");
  for (int way = 0; way < WAYS; ++way) {
    report_both(job->rank == 0, ours_ns[way], control_ns[way], BATCHES, "gasnet_%s_%zu",
                ways[way].name, bytes);
  }
}

int main(int argc, char** argv) {
  const gex_Flags_t request = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST;
  const gex_Flags_t answer = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY;
  gex_AM_Entry_t handlers[] = {
      {FIXED, (gex_AM_Fn_t)fixed, request, 1, NULL, "fixed"},
      {NEGOTIATED, (gex_AM_Fn_t)negotiated, request, 1, NULL, "negotiated"},
      {FIXED_READ, (gex_AM_Fn_t)fixed_read, request, 1, NULL, "fixed_read"},
      {NEGOTIATED_READ, (gex_AM_Fn_t)negotiated_read, request, 1, NULL, "negotiated_read"},
      {CHECKED, (gex_AM_Fn_t)checked, request, 1, NULL, "checked"},
      {REPLY, (gex_AM_Fn_t)reply, answer, 1, NULL, "reply"},
      {READ_REPLY, (gex_AM_Fn_t)reply_read, answer, 1, NULL, "reply_read"},
      {CHECKED_REPLY, (gex_AM_Fn_t)reply_checked, answer, 1, NULL, "reply_checked"},
  };
  const struct job job =
      start_job(handlers, sizeof handlers / sizeof *handlers, sizeof(struct mailbox));
  struct mailboxes boxes = {(struct mailbox*)(void*)window_of(&job, job.rank).mapped,
                            (struct mailbox*)(void*)window_of(&job, 1 - job.rank).mapped, 0};
  const size_t most = gex_AM_MaxRequestMedium(job.team, 1 - job.rank, NULL, 0, 1);
  for (int i = 1; i < argc || i == 1; ++i) {
    const size_t bytes = argument(argc, argv, i, 4096);
    require(bytes <= most && bytes <= LARGEST, "more bytes than a Medium may have");
    measure(&job, &boxes, bytes);
  }
  end_job(&job);
}
