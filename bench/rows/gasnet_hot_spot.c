// Fetch-and-add by all ranks at once on one word of rank 0, each in flight with the others: the
// time per operation of a rank, from the first operation to the end of a barrier. The control is a
// locked instruction. Batches are long, so that all ranks contend even when one starts late.
#include "gasnet_job.h"

#include <gasnet_ratomic.h>

enum { BATCHES = 20, OPS = 10000 };

struct spot {
  const struct job* job;
  struct window there;
  gex_AD_t domain;
};

static volatile uint64_t old_value;  // not used, but each operation must fetch it

static void ours(const struct spot* s) {
  static uint64_t old[OPS];
  for (size_t i = 0; i < OPS; ++i)
    gex_AD_OpNBI_U64(s->domain, &old[i], 0, s->there.owner, GEX_OP_FADD, 1, 0, 0);
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

static void control(const struct spot* s) {
  _Atomic uint64_t* word = (_Atomic uint64_t*)(void*)s->there.mapped;
  for (size_t i = 0; i < OPS; ++i) old_value = atomic_fetch_add(word, 1);
}

static double time_batch(void (*run)(const struct spot*), const struct spot* s) {
  meet(s->job);
  const int64_t start = now_ns();
  run(s);
  meet(s->job);
  return ns_per_op(now_ns() - start, OPS);
}

int main(void) {
  const struct job job = start_job(NULL, 0, LINE_PAIR);
  struct spot spot = {.job = &job, .there = window_of(&job, 0)};
  gex_AD_Create(&spot.domain, job.team, GEX_DT_U64, GEX_OP_FADD, 0);
  if (job.rank == 0) memset(spot.there.mapped, 0, LINE_PAIR);
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (int i = 0; i < BATCHES; ++i) {
    ours_ns[i] = time_batch(ours, &spot);
    control_ns[i] = time_batch(control, &spot);
  }
  const uint64_t added = (uint64_t)2 * BATCHES * OPS * job.ranks;
  require(*(const uint64_t*)(const void*)spot.there.mapped == added, "not all were added");
  report_both(job.rank == 0, ours_ns, control_ns, BATCHES, "gasnet_hot_spot_%u", job.ranks);
  gex_AD_Destroy(spot.domain);
  end_job(&job);
}
