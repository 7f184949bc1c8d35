// The sum of BYTES of doubles over two ranks, to both, in private memory as in typical programs.
// The control is a barrier of the same library and, for more than one double, the least work of two
// ranks: to copy their own vector and add the other, here from its segment.
// Usage: gasnet_reduce [BYTES]...
#include "gasnet_job.h"

#include <gasnet_coll.h>

enum { BATCHES = 50, LARGEST = 1 << 20, DOUBLE = sizeof(double) };

struct vectors {
  const struct job* job;
  size_t count;
  double* from;
  double* to;
  double* shared;          // a copy of `from` in the segment, for the control
  const double* of_other;  // the other rank's shared vector
};

static void reduce(const struct vectors* v) {
  gex_Event_Wait(gex_Coll_ReduceToAllNB(v->job->team, v->to, v->from, GEX_DT_DBL, DOUBLE, v->count,
                                        GEX_OP_ADD, NULL, NULL, 0));
}

static void control(const struct vectors* v) {
  meet(v->job);
  if (v->count == 1) return;
  memcpy(v->to, v->shared, v->count * DOUBLE);
  for (size_t i = 0; i < v->count; ++i) v->to[i] += v->of_other[i];
}

static double time_batch(void (*run)(const struct vectors*), const struct vectors* v, size_t ops) {
  meet(v->job);
  const int64_t start = now_ns();
  for (size_t i = 0; i < ops; ++i) {
    run(v);
    keep_results();
  }
  return ns_per_op(now_ns() - start, ops);
}

static void fill(const struct vectors* v, size_t batch) {
  for (size_t i = 0; i < v->count; ++i)
    v->from[i] = v->shared[i] = (double)(batch + i * (v->job->rank + 1));
}

static void check(const struct vectors* v, size_t batch) {
  for (size_t i = 0; i < v->count; ++i)
    require(v->to[i] == (double)(2 * batch + 3 * i), "a sum that is wrong");
}

static void measure(const struct vectors* v) {
  const size_t bytes = v->count * DOUBLE;
  const size_t ops = bytes <= 4096 ? 200 : 50;
  double* ours_ns = new_samples(BATCHES);
  double* control_ns = new_samples(BATCHES);
  for (size_t i = 0; i < BATCHES; ++i) {
    fill(v, i);
    ours_ns[i] = time_batch(reduce, v, ops);
    check(v, i);
    control_ns[i] = time_batch(control, v, ops);
    if (v->count > 1) check(v, i);
    meet(v->job);  // before the shared vectors change
  }
  report_both(v->job->rank == 0, ours_ns, control_ns, BATCHES, "gasnet_reduce_%zu", bytes);
}

int main(int argc, char** argv) {
  const struct job job = start_job(NULL, 0, LARGEST);
  require(job.ranks == 2, "two ranks are needed");
  struct vectors v = {
      .job = &job,
      .from = new_samples(LARGEST / DOUBLE),
      .to = new_samples(LARGEST / DOUBLE),
      .shared = (double*)(void*)window_of(&job, job.rank).mapped,
      .of_other = (const double*)(const void*)window_of(&job, 1 - job.rank).mapped,
  };
  for (int i = 1; i < argc || i == 1; ++i) {
    v.count = argument(argc, argv, i, DOUBLE) / DOUBLE;
    require(v.count >= 1 && v.count <= LARGEST / DOUBLE, "BYTES is from 8 to 1 MiB");
    measure(&v);
  }
  end_job(&job);
}
