// The measurements of `gondwana bench am`: active messages of GASNet-EX between two ranks. short,
// medium and long are half of a round trip, a request and its reply of the same size. In the
// floods the requests have no replies, and the time ends when all have been handled.
// Usage: messages_gasnet GROUP ROUNDS SMALLEST LARGEST
#include "pair.h"

enum { BASE = GEX_AM_INDEX_BASE };
enum { SHORT = BASE, MEDIUM, LONG, SHORT_REPLY, MEDIUM_REPLY, LONG_REPLY };
enum { SHORT_FLOOD = LONG_REPLY + 1, MEDIUM_FLOOD, LONG_FLOOD, ALL_HANDLED };

static struct pair pair;
static size_t served;
static size_t expected;  // value of `served` after the batch
static size_t answered;
static size_t floods;  // floods that the other rank has handled completely

// Payload bytes are 1.
static void check_payload(const void* payload, size_t bytes) {
  const char* from = payload;
  require(from[0] == 1 && from[bytes - 1] == 1, "a payload is not the one that was sent");
}

static void on_short(gex_Token_t token) {
  ++served;
  gex_AM_ReplyShort0(token, SHORT_REPLY, 0);
}

static void on_medium(gex_Token_t token, void* payload, size_t bytes) {
  check_payload(payload, bytes);
  ++served;
  gex_AM_ReplyMedium0(token, MEDIUM_REPLY, payload, bytes, GEX_EVENT_NOW, 0);
}

static void on_long(gex_Token_t token, void* payload, size_t bytes) {
  check_payload(payload, bytes);
  ++served;
  gex_AM_ReplyLong0(token, LONG_REPLY, pair.local, bytes, data_in(pair.remote), GEX_EVENT_NOW, 0);
}

static void on_short_reply(gex_Token_t token) {
  (void)token;
  ++answered;
}

static void on_reply(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  check_payload(payload, bytes);
  ++answered;
}

static void on_short_flood(gex_Token_t token) {
  (void)token;
  ++served;
}

static void on_flood(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  check_payload(payload, bytes);
  ++served;
}

static void on_all_handled(gex_Token_t token) {
  (void)token;
  ++floods;
}

typedef void sender(gex_AM_Index_t handler, size_t bytes);

static void send_short(gex_AM_Index_t handler, size_t bytes) {
  (void)bytes;
  gex_AM_RequestShort0(world, (gex_Rank_t)pair.other, handler, 0);
}

static void send_medium(gex_AM_Index_t handler, size_t bytes) {
  gex_AM_RequestMedium0(world, (gex_Rank_t)pair.other, handler, pair.local, bytes, GEX_EVENT_NOW,
                        0);
}

static void send_long(gex_AM_Index_t handler, size_t bytes) {
  gex_AM_RequestLong0(world, (gex_Rank_t)pair.other, handler, pair.local, bytes,
                      data_in(pair.remote), GEX_EVENT_NOW, 0);
}

static void trips(sender* send, gex_AM_Index_t handler, size_t bytes, size_t ops) {
  if (me != 0) {
    expected += ops / 2;
    GASNET_BLOCKUNTIL(served == expected);
    return;
  }
  for (size_t i = 0; i < ops; i += 2) {
    const size_t next = answered + 1;
    send(handler, bytes);
    GASNET_BLOCKUNTIL(answered == next);
  }
}

static void flood(sender* send, gex_AM_Index_t handler, size_t bytes, size_t ops) {
  if (me != 0) {
    expected += ops;
    GASNET_BLOCKUNTIL(served == expected);
    send_short(ALL_HANDLED, 0);
    return;
  }
  const size_t next = floods + 1;
  for (size_t i = 0; i < ops; ++i) send(handler, bytes);
  GASNET_BLOCKUNTIL(floods == next);
}

static void short_trips(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  trips(send_short, SHORT, bytes, ops);
}

static void medium_trips(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  trips(send_medium, MEDIUM, bytes, ops);
}

static void long_trips(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  trips(send_long, LONG, bytes, ops);
}

static void short_flood(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  flood(send_short, SHORT_FLOOD, bytes, ops);
}

static void medium_flood(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  flood(send_medium, MEDIUM_FLOOD, bytes, ops);
}

static void long_flood(struct pair* p, size_t bytes, size_t ops) {
  (void)p;
  flood(send_long, LONG_FLOOD, bytes, ops);
}

// One way without a receiver: a copy and a store for each message.
static void stores(struct pair* p, size_t bytes, size_t ops) {
  if (me != 0) return;
  for (size_t i = 0; i < ops; ++i) {
    memcpy(data_in(p->mapped), p->local, bytes);
    atomic_store_explicit(control_word_in(p->mapped), p->control_trips, memory_order_release);
  }
}

static const struct measurement list[] = {
    {"short", "short", short_trips, line_ping_pong, 1},
    {"short", "short_flood", short_flood, stores, 1},
    {"medium", "medium", medium_trips, line_ping_pong, 1},
    {"medium", "medium_flood", medium_flood, stores, 1},
    {"long", "long", long_trips, line_ping_pong, 1},
    {"long", "long_flood", long_flood, stores, 1},
};

static const struct measurements measurements = {list, sizeof list / sizeof *list};

static void start(size_t bytes) {
  const gex_Flags_t request = GEX_FLAG_AM_REQUEST;
  const gex_Flags_t reply = GEX_FLAG_AM_REPLY;
  gex_AM_Entry_t handlers[] = {
      {SHORT, (gex_AM_Fn_t)on_short, request | GEX_FLAG_AM_SHORT, 0, NULL, NULL},
      {MEDIUM, (gex_AM_Fn_t)on_medium, request | GEX_FLAG_AM_MEDIUM, 0, NULL, NULL},
      {LONG, (gex_AM_Fn_t)on_long, request | GEX_FLAG_AM_LONG, 0, NULL, NULL},
      {SHORT_REPLY, (gex_AM_Fn_t)on_short_reply, reply | GEX_FLAG_AM_SHORT, 0, NULL, NULL},
      {MEDIUM_REPLY, (gex_AM_Fn_t)on_reply, reply | GEX_FLAG_AM_MEDIUM, 0, NULL, NULL},
      {LONG_REPLY, (gex_AM_Fn_t)on_reply, reply | GEX_FLAG_AM_LONG, 0, NULL, NULL},
      {SHORT_FLOOD, (gex_AM_Fn_t)on_short_flood, request | GEX_FLAG_AM_SHORT, 0, NULL, NULL},
      {MEDIUM_FLOOD, (gex_AM_Fn_t)on_flood, request | GEX_FLAG_AM_MEDIUM, 0, NULL, NULL},
      {LONG_FLOOD, (gex_AM_Fn_t)on_flood, request | GEX_FLAG_AM_LONG, 0, NULL, NULL},
      {ALL_HANDLED, (gex_AM_Fn_t)on_all_handled, request | GEX_FLAG_AM_SHORT, 0, NULL, NULL},
  };
  start_door_with_handlers(handlers, sizeof handlers / sizeof *handlers, CELL_BYTES + bytes);
  pair = begin_pair(bytes);
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

int main(int argc, char** argv) {
  const struct request request = request_of(argc, argv);
  start(data_bytes(request.largest));
  const gex_Rank_t other = (gex_Rank_t)pair.other;
  const size_t max_medium = least(gex_AM_MaxRequestMedium(world, other, GEX_EVENT_NOW, 0, 0),
                                  gex_AM_MaxReplyMedium(world, other, GEX_EVENT_NOW, 0, 0));
  const size_t max_long = least(gex_AM_MaxRequestLong(world, other, GEX_EVENT_NOW, 0, 0),
                                gex_AM_MaxReplyLong(world, other, GEX_EVENT_NOW, 0, 0));
  measure_group(&pair, &measurements, "short", request.rounds, 0, 0);
  measure_group(&pair, &measurements, "medium", request.rounds, request.smallest,
                least(request.largest, max_medium));
  measure_group(&pair, &measurements, "long", request.rounds, request.smallest,
                least(request.largest, max_long));
  end_pair(&pair, request.largest);
  end_door();
}
