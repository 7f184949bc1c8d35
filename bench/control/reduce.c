// The bytes of an all-reduce (sum of doubles) by n processes, and nothing else: each adds its
// slice of the n sources and copies the other slices of the result. The processes meet only after a
// batch, so this is a floor: an all-reduce must also say when the slices are ready.
// Usage: reduce PROCESSES [BYTES]
#include "../common/barriers.h"
#include "../common/crew.h"

enum { SAMPLES = 100, OPS = 50 };

struct job {
  struct central_barrier barrier;
  _Alignas(LINE_PAIR) double vectors[];  // n sources, then n results
};

static double* vector(struct job* job, size_t index, size_t length) {
  return job->vectors + index * length;
}

static void add_slice(struct job* job, size_t n, size_t rank, size_t length) {
  const size_t first = length * rank / n;
  const size_t last = length * (rank + 1) / n;
  double* result = vector(job, n + rank, length);
  memcpy(result + first, vector(job, 0, length) + first, (last - first) * sizeof *result);
  for (size_t source = 1; source < n; ++source) {
    const double* restrict from = vector(job, source, length);
    double* restrict to = result;
    for (size_t i = first; i < last; ++i) to[i] += from[i];
  }
}

static void copy_other_slices(struct job* job, size_t n, size_t rank, size_t length) {
  for (size_t owner = 0; owner < n; ++owner) {
    if (owner == rank) continue;
    const size_t first = length * owner / n;
    const size_t last = length * (owner + 1) / n;
    memcpy(vector(job, n + rank, length) + first, vector(job, n + owner, length) + first,
           (last - first) * sizeof(double));
  }
}

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t length = argument(argc, argv, 2, 64 << 10) / sizeof(double);
  const size_t bytes = sizeof(struct job) + 2 * n * length * sizeof(double);
  struct job* job = shared_pages(bytes);
  memset(job->vectors, 0, 2 * n * length * sizeof(double));
  const int rank = start_crew((int)n);
  double* samples = new_samples(SAMPLES);
  int64_t start = now_ns();
  for (int sample = 0; sample < SAMPLES; ++sample) {
    for (int op = 0; op < OPS; ++op) {
      add_slice(job, n, (size_t)rank, length);
      copy_other_slices(job, n, (size_t)rank, length);
    }
    central_wait(&job->barrier, (uint32_t)n, usual_wait((int)n));
    const int64_t end = now_ns();
    samples[sample] = ns_per_op(end - start, OPS);
    start = end;
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "reduce_%zu", n);
  report(name, "control", samples, SAMPLES);
  return 0;
}
