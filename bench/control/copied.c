// The minimum cost of a large collective of n ranks on two processors: two processes copy all its
// bytes, half of the results each, and then n processes meet once, yielding. Prints the sum of both
// medians as NAME_copied_N. Usage: copied alltoall|broadcast|fcollect PROCESSES [BYTES]
#include "../common/barriers.h"
#include "../common/crew.h"

enum { SAMPLES = 200, RESULTS = 2, COPIERS = 2 };

struct meeting {
  struct pair_barrier pair;
  struct central_barrier central;
};

struct plan {
  const char* name;
  size_t n;
  size_t source_bytes;  // per rank, also in `sources`
  size_t result_bytes;  // per rank
  char* sources;
  char* results;  // RESULTS sets, used alternately as in the rows
};

static void fill(const struct plan* plan, char* result, size_t rank) {
  const size_t bytes = plan->source_bytes;
  const size_t block = bytes / plan->n;
  if (plan->name[0] == 'b') {
    memcpy(result, plan->sources, bytes);
    return;
  }
  for (size_t from = 0; from < plan->n; ++from) {
    const char* source = plan->sources + from * bytes;
    if (plan->name[0] == 'a')
      memcpy(result + from * block, source + rank * block, block);
    else
      memcpy(result + from * bytes, source, bytes);
  }
}

// Returns the nanoseconds of the copies of one call.
static double copy_median(const struct plan* plan, struct meeting* meeting) {
  const int rank = start_crew(COPIERS);
  double* samples = new_samples(SAMPLES);
  for (size_t i = 0; i < SAMPLES; ++i) {
    char* results = plan->results + i % RESULTS * plan->n * plan->result_bytes;
    const int64_t start = now_ns();
    for (size_t of = (size_t)rank; of < plan->n; of += COPIERS)
      fill(plan, results + of * plan->result_bytes, of);
    pair_wait(&meeting->pair, rank);
    samples[i] = (double)(now_ns() - start);
  }
  end_crew(rank);
  const double median = percentile(samples, SAMPLES, 50);
  free(samples);
  return median;
}

int main(int argc, char** argv) {
  struct plan plan = {argc > 1 ? argv[1] : "alltoall",
                      argument(argc, argv, 2, 2),
                      argument(argc, argv, 3, 64 << 10),
                      0,
                      NULL,
                      NULL};
  plan.result_bytes = plan.name[0] == 'f' ? plan.n * plan.source_bytes : plan.source_bytes;
  const size_t source_bytes = plan.n * plan.source_bytes;
  const size_t all = source_bytes + RESULTS * plan.n * plan.result_bytes;
  plan.sources = shared_pages(all);
  plan.results = plan.sources + source_bytes;
  memset(plan.sources, 1, all);
  struct meeting* meeting = shared_pages(sizeof *meeting);
  const double copies = copy_median(&plan, meeting);

  const uint32_t n = (uint32_t)plan.n;
  const int rank = start_crew((int)n);
  double* samples = new_samples(SAMPLES);
  for (size_t i = 0; i < SAMPLES; ++i) {
    const int64_t start = now_ns();
    central_wait(&meeting->central, n, WAIT_YIELD);
    samples[i] = copies + (double)(now_ns() - start);
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "%s_%zu_copied_%u", plan.name, plan.source_bytes, n);
  report(name, "control", samples, SAMPLES);
  return 0;
}
