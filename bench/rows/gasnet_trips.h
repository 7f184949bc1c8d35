// A message and its reply, Short without arguments and Medium of 8 bytes: the handlers and the
// senders, for the rows that measure them.
#ifndef GONDWANA_BENCH_GASNET_TRIPS_H_
#define GONDWANA_BENCH_GASNET_TRIPS_H_

#include "gasnet_job.h"

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

static inline void send_short(const struct job* job, gex_Rank_t to) {
  gex_AM_RequestShort0(job->team, to, SHORT_REQUEST, 0);
}

static inline void send_medium(const struct job* job, gex_Rank_t to) {
  const uint64_t number = answered;
  gex_AM_RequestMedium0(job->team, to, MEDIUM_REQUEST, &number, sizeof number, GEX_EVENT_NOW, 0);
}

typedef void sender(const struct job* job, gex_Rank_t to);

static inline struct job start_trips(size_t segment_bytes) {
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
  return start_job(handlers, sizeof handlers / sizeof *handlers, segment_bytes);
}

#endif
