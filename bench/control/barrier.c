// The latency of a barrier of n processes, measured by rank 0. KIND is
//   pair    two processes, one flag each, spinning
//   spin    a central counter, spinning
//   yield   a central counter, sched_yield in a loop
//   futex   a central counter, polled 200 times, then a futex
// A sample is the mean of BATCH barriers: 1 where a barrier costs much more than reading the clock.
// Before each sample rank 0 computes for PAUSE us.
// Usage: barrier KIND PROCESSES [BATCH] [SAMPLES] [PAUSE]
#include "../common/barriers.h"
#include "../common/crew.h"

struct shared {
  struct central_barrier central;
  struct pair_barrier pair;
};

struct plan {
  const char* kind;
  uint32_t processes;
  size_t batch;
  size_t samples;
  size_t pause;
};

static enum wait_kind wait_kind_of(const char* kind) {
  if (strcmp(kind, "yield") == 0) return WAIT_YIELD;
  if (strcmp(kind, "futex") == 0) return WAIT_FUTEX;
  return WAIT_SPIN;
}

static void pass(struct shared* shared, const struct plan* plan, int rank) {
  if (strcmp(plan->kind, "pair") == 0) {
    for (size_t i = 0; i < plan->batch; ++i) pair_wait(&shared->pair, rank);
    return;
  }
  const enum wait_kind how = wait_kind_of(plan->kind);
  for (size_t i = 0; i < plan->batch; ++i) central_wait(&shared->central, plan->processes, how);
}

int main(int argc, char** argv) {
  const struct plan plan = {argc > 1 ? argv[1] : "yield", (uint32_t)argument(argc, argv, 2, 2),
                            argument(argc, argv, 3, 1), argument(argc, argv, 4, 1000),
                            argument(argc, argv, 5, 0)};
  require(strcmp(plan.kind, "pair") != 0 || plan.processes == 2, "kind pair is for 2 processes");
  struct shared* shared = shared_pages(sizeof *shared);
  const int rank = start_crew((int)plan.processes);
  double* samples = new_samples(plan.samples);
  for (size_t i = 0; i < plan.samples / 10 + 1; ++i) pass(shared, &plan, rank);  // warm up
  for (size_t i = 0; i < plan.samples; ++i) {
    if (rank == 0) compute_us(plan.pause);
    const int64_t start = now_ns();
    pass(shared, &plan, rank);
    samples[i] = ns_per_op(now_ns() - start, plan.batch);
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "barrier_%s%s_%u", plan.pause > 0 ? "bursts_" : "", plan.kind,
           plan.processes);
  report(name, "control", samples, plan.samples);
  return 0;
}
