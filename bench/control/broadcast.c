// The bytes of a broadcast to n - 1 processes, and nothing else: each copies the root's buffer.
// They meet only after a batch, so this is a floor. Usage: broadcast PROCESSES [BYTES]
#include "../common/barriers.h"
#include "../common/crew.h"

enum { SAMPLES = 100, OPS = 50 };

struct job {
  struct central_barrier barrier;
  _Alignas(LINE_PAIR) char buffers[];  // one per process; the first is the root's
};

int main(int argc, char** argv) {
  const size_t n = argument(argc, argv, 1, 2);
  const size_t bytes = argument(argc, argv, 2, 64 << 10);
  struct job* job = shared_pages(sizeof *job + n * bytes);
  memset(job->buffers, 1, n * bytes);
  const int rank = start_crew((int)n);
  char* mine = job->buffers + (size_t)rank * bytes;
  double* samples = new_samples(SAMPLES);
  int64_t start = now_ns();
  for (int sample = 0; sample < SAMPLES; ++sample) {
    for (int op = 0; op < OPS && rank != 0; ++op) {
      memcpy(mine, job->buffers, bytes);
      __asm__ volatile("" ::: "memory");
    }
    central_wait(&job->barrier, (uint32_t)n, usual_wait((int)n));
    const int64_t end = now_ns();
    samples[sample] = ns_per_op(end - start, OPS);
    start = end;
  }
  end_crew(rank);
  char name[64];
  snprintf(name, sizeof name, "broadcast_%zu", n);
  report(name, "control", samples, SAMPLES);
  return 0;
}
