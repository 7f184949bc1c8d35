// Fetch-and-add on a shared word by n processes at once: the time of one, measured by rank 0.
// Batches are long, so that all contend even when one starts late. Usage: xadd [PROCESSES]
#include "../common/barriers.h"
#include "../common/crew.h"

enum { BATCHES = 50, OPS = 20000 };

struct shared {
  struct central_barrier barrier;
  _Alignas(LINE_PAIR) _Atomic uint64_t word;
};

int main(int argc, char** argv) {
  const int n = (int)argument(argc, argv, 1, 1);
  struct shared* shared = shared_pages(sizeof *shared);
  const int rank = start_crew(n);
  double* samples = new_samples(BATCHES);
  for (int batch = 0; batch < BATCHES; ++batch) {
    central_wait(&shared->barrier, (uint32_t)n, usual_wait(n));
    const int64_t start = now_ns();
    for (int i = 0; i < OPS; ++i) atomic_fetch_add_explicit(&shared->word, 1, memory_order_seq_cst);
    samples[batch] = ns_per_op(now_ns() - start, OPS);
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "xadd_%d", n);
  report(name, "control", samples, BATCHES);
  return 0;
}
