// Barriers: GASNet-1 barriers with ids of all sorts, and several open barriers of a team at once.
//
//   barrier_test [seed]
#include <gasnet.h>
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

int main(int argc, char** argv) {
  job_start(&argc, &argv, 1 << 16);
  common_state = job_random_state - job_me;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < named_barriers; ++i) meet_by_name();
    leave_open();
  }
  gasnet_exit(0);
  return 0;
}
