// Barriers: GASNet-1 barriers with ids of all sorts, several open barriers of a team at once, and
// messages that arrive before them.
//
//   barrier_test [seed]
#include <gasnet.h>
#include <gasnet_coll.h>
#include <sched.h>

#include "job.h"

enum { rounds = 40, named_barriers = 50, open_barriers = 4 };

// The same numbers on all ranks; job_random() differs between ranks.
static unsigned long long common_state;
static int common(int limit) {
  common_state = common_state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (int)(common_state >> 33) % limit;
}

static int finish(int id, int flags) {
  int result;
  if (job_random(2)) return gasnet_barrier_wait(id, flags);
  while ((result = gasnet_barrier_try(id, flags)) == GASNET_ERR_NOT_READY) continue;
  return result;
}

static int meet(int id, int flags) {
  if (job_random(2)) return gasnet_barrier(id, flags);
  gasnet_barrier_notify(id, flags);
  return finish(id, flags);
}

// How the ranks use the id of a barrier.
enum Case { all_alike, one_mismatches, one_has_another, one_has_one, none_has_one, cases };

static void meet_by_name(void) {
  const int id = common(1000), odd_one = common((int)job_ranks), how = common(cases);
  const int is_odd = (int)job_me == odd_one;
  int flags = 0, mine = id, got = -1;
  if (how == one_mismatches && is_odd) flags = GASNET_BARRIERFLAG_MISMATCH;
  if (how == one_has_another && is_odd) mine = id + 1;
  if (how == one_has_one && !is_odd) flags = GASNET_BARRIERFLAG_ANONYMOUS;
  if (how == none_has_one)
    flags = job_random(2) ? GASNET_BARRIERFLAG_ANONYMOUS : GASNET_BARRIERFLAG_UNNAMED;
  const int result = meet(mine, flags);
  const int must_fail = how == one_mismatches || (how == one_has_another && job_ranks > 1);
  CHECK(result == (must_fail ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK));
  if (must_fail) return;
  CHECK((gasnet_barrier_result(&got) != 0) == (how == none_has_one));
  CHECK(how == none_has_one || got == mine);
}

// Barriers in flight during splits, which use the same lines. Then waits for the last one first.
static void leave_open(void) {
  gex_Event_t open[open_barriers];
  for (int i = 0; i < open_barriers; ++i) {
    gex_TM_t half;
    if (job_random(3) == 0) sched_yield();
    gex_TM_Split(&half, job_team, (int)(job_me + (unsigned)i) % 2, (int)(job_ranks - job_me), NULL,
                 0, 0);
    CHECK(gex_TM_TranslateRankToJobrank(half, gex_TM_QueryRank(half)) == job_me);
    CHECK(job_ranks % 2 != 0 || gex_TM_QuerySize(half) == job_ranks / 2);
    open[i] = gex_Coll_BarrierNB(job_team, 0);
    gex_Event_Wait(gex_Coll_BarrierNB(half, 0));
    gex_TM_Destroy(half, NULL, 0);
  }
  if (job_random(2)) gex_Event_WaitAll(open, open_barriers, 0);
  for (int i = open_barriers; i-- > 0;) gex_Event_Wait(open[i]);
}

static unsigned handled;
static void count_message(gex_Token_t token) {
  (void)token;
  ++handled;
}

enum { notify_and_wait, blocking, of_a_team, open_and_wait, ways };

static gex_Event_t enter(int way) {
  if (way == open_and_wait) return gex_Coll_BarrierNB(job_team, 0);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  return GEX_EVENT_INVALID;
}

static void leave(int way, gex_Event_t event) {
  if (way == open_and_wait)
    gex_Event_Wait(event);
  else
    CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

static void meet_as_last(int way) {
  if (way == blocking)
    CHECK(gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
  else if (way == of_a_team)
    CHECK(gasnet_coll_barrier(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
  else
    leave(way, enter(way));
}

// The others send a message to the last rank, enter the barrier and tell it by a put. It handles
// all messages before it leaves; one that comes early is handled by the barrier of the round
// before.
static void meet_with_messages_at_hand(int way) {
  const gex_Rank_t last = job_ranks - 1;
  volatile unsigned char* entered = job_segment;
  if (job_me != last) {
    gex_AM_RequestShort0(job_team, last, GEX_AM_INDEX_BASE, 0);
    const gex_Event_t event = enter(way);
    gex_RMA_PutBlockingVal(job_team, last, job_segment_of(last) + job_me, 1, 1, 0);
    leave(way, event);
  } else {
    for (gex_Rank_t rank = 0; rank < last; ++rank) {
      while (entered[rank] == 0) sched_yield();
      entered[rank] = 0;
    }
    meet_as_last(way);
    CHECK(handled == last);
    handled = 0;
  }
  job_barrier();
}

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1 << 16);
  gex_AM_Entry_t entry = {GEX_AM_INDEX_BASE,
                          (gex_AM_Fn_t)count_message,
                          GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT,
                          0,
                          NULL,
                          "count_message"};
  gex_EP_t endpoint = gex_TM_QueryEP(job_team);
  CHECK(gex_EP_RegisterHandlers(endpoint, &entry, 1) == GASNET_OK);
  job_barrier();
  gex_Rank_t neighbors = 0;
  gex_System_QueryNbrhdInfo(NULL, &neighbors, NULL);
  if (neighbors == job_ranks)  // messages of other nodes may be under way
    for (int way = 0; way < ways; ++way) meet_with_messages_at_hand(way);
  common_state = job_random_state - job_me;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < named_barriers; ++i) meet_by_name();
    leave_open();
  }
  gasnet_exit(0);
  return 0;
}
