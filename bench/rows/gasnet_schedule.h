// Rank 0 sends Mediums of 4032 bytes to the other ranks. The static schedule waits if a queue is
// full. The dynamic one continues with the next rank (GEX_FLAG_IMMEDIATE).
//
// The pattern comes from testimm of GASNet's tests. A schedule visits the ranks in turn, with a
// block of messages for each. The dynamic schedule polls once when a message is refused and
// retries. Refused twice, it leaves the rest of the block for the next turn.
#ifndef GONDWANA_BENCH_GASNET_SCHEDULE_H_
#define GONDWANA_BENCH_GASNET_SCHEDULE_H_

#include "gasnet_job.h"

enum { MESSAGE_BYTES = 4032, MOST_RANKS = 64, SLEEP_NS = 500000 };

struct schedule {
  const struct job* job;
  gex_AM_Index_t handler;
  gex_Rank_t last;  // messages go to ranks 1 to `last`
  size_t messages;  // messages for each of these ranks
  size_t block;
};

// The number of messages sent to each rank. The first word of a payload is its index.
static _Alignas(LINE_PAIR) uint64_t message_payload[MESSAGE_BYTES / sizeof(uint64_t)];
static size_t messages_sent[MOST_RANKS];
static uint64_t handled;  // messages that this rank has received
static uint64_t numbers;  // sum of their indices

static void on_message(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  require(bytes == MESSAGE_BYTES, "a message of a wrong size");
  uint64_t number = 0;
  memcpy(&number, payload, sizeof number);
  numbers += number;
  ++handled;
}

static inline size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline int send_message(const struct schedule* s, gex_Rank_t to, gex_Flags_t flags) {
  message_payload[0] = messages_sent[to];
  const int refused = gex_AM_RequestMedium0(s->job->team, to, s->handler, message_payload,
                                            MESSAGE_BYTES, GEX_EVENT_NOW, flags);
  if (!refused) ++messages_sent[to];
  return refused;
}

static inline void send_static(const struct schedule* s) {
  for (size_t sent = 0; sent < s->messages; sent += s->block) {
    const size_t now = least(s->block, s->messages - sent);
    for (gex_Rank_t to = 1; to <= s->last; ++to) {
      for (size_t i = 0; i < now; ++i) send_message(s, to, 0);
    }
  }
}

// Sends up to `most` messages, until one is refused twice. Returns how many were sent.
static inline size_t send_while_there_is_room(const struct schedule* s, gex_Rank_t to,
                                              size_t most) {
  for (size_t sent = 0; sent < most; ++sent) {
    if (!send_message(s, to, GEX_FLAG_IMMEDIATE)) continue;
    gasnet_AMPoll();
    if (send_message(s, to, GEX_FLAG_IMMEDIATE)) return sent;
  }
  return most;
}

static inline void send_dynamic(const struct schedule* s) {
  size_t left[MOST_RANKS];
  size_t all_left = s->messages * s->last;
  for (gex_Rank_t to = 1; to <= s->last; ++to) left[to] = s->messages;
  while (all_left > 0) {
    for (gex_Rank_t to = 1; to <= s->last; ++to) {
      const size_t sent = send_while_there_is_room(s, to, least(s->block, left[to]));
      left[to] -= sent;
      all_left -= sent;
    }
  }
}

static inline void sleep_once(void) {
  const struct timespec time = {0, SLEEP_NS};
  nanosleep(&time, NULL);
}

static inline void poll_now_and_then(const struct schedule* s) {
  gex_Event_t all_here = gex_Coll_BarrierNB(s->job->team, 0);
  do {
    sleep_once();
    gasnet_AMPoll();
  } while (gex_Event_Test(all_here) != GASNET_OK);
  const uint64_t messages = s->messages;
  GASNET_BLOCKUNTIL(handled >= messages);
  require(handled == messages && numbers == messages * (messages - 1) / 2,
          "not the messages that were sent");
  handled = numbers = 0;
}

// The time of rank 0 until all ranks have met; the others sleep between two polls.
static inline double time_schedule(const struct schedule* s, void (*run)(const struct schedule*)) {
  memset(messages_sent, 0, sizeof messages_sent);
  meet(s->job);
  const int64_t start = now_ns();
  if (s->job->rank == 0) {
    run(s);
    meet(s->job);
  } else {
    poll_now_and_then(s);
  }
  const int64_t time = now_ns() - start;
  meet(s->job);
  return (double)time;
}

#endif
