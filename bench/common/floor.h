// The floor of a collective: n processes move its bytes and do nothing else. All of them know what
// to copy, sources never change, and no process announces that a part is ready.
#ifndef GONDWANA_BENCH_FLOOR_H_
#define GONDWANA_BENCH_FLOOR_H_

#include "barriers.h"
#include "crew.h"

enum { FLOOR_SAMPLES = 100, FLOOR_CALLS = 50, FLOOR_RESULTS = 2 };

struct floor_memory {
  struct central_barrier barrier;
  _Alignas(4096) char pages[];
};

struct floor {
  struct floor_memory* memory;
  size_t n;
  size_t source_bytes;  // of one process
  size_t result_bytes;  // of one process; each has FLOOR_RESULTS, which take turns as in the rows
};

typedef void floor_move(const struct floor* floor, size_t rank, size_t turn);

static inline char* source_of(const struct floor* floor, size_t rank) {
  return floor->memory->pages + rank * floor->source_bytes;
}

static inline char* result_of(const struct floor* floor, size_t rank, size_t turn) {
  return floor->memory->pages + floor->n * floor->source_bytes +
         (rank * FLOOR_RESULTS + turn) * floor->result_bytes;
}

static inline struct floor new_floor(size_t n, size_t source_bytes, size_t result_bytes) {
  const size_t bytes = n * (source_bytes + FLOOR_RESULTS * result_bytes);
  struct floor floor = {shared_pages(sizeof *floor.memory + bytes), n, source_bytes, result_bytes};
  memset(floor.memory->pages, 0, bytes);
  return floor;
}

// Times batches of calls, from end to end, and prints the figure NAME_floor_N. The processes meet
// after each batch and, where the ranks of the row must, after every second call.
static inline void time_floor(const char* name, const struct floor* floor, floor_move* move,
                              int calls_between_meetings) {
  const uint32_t n = (uint32_t)floor->n;
  const int rank = start_crew((int)n);
  double* samples = new_samples(FLOOR_SAMPLES);
  int64_t start = now_ns();
  for (int sample = 0; sample < FLOOR_SAMPLES; ++sample) {
    for (int call = 1; call <= FLOOR_CALLS; ++call) {
      move(floor, (size_t)rank, (size_t)call % FLOOR_RESULTS);
      __asm__ volatile("" ::: "memory");  // or the compiler may keep only the last call
      if (call % calls_between_meetings == 0)
        central_wait(&floor->memory->barrier, n, usual_wait((int)n));
    }
    const int64_t end = now_ns();
    samples[sample] = ns_per_op(end - start, FLOOR_CALLS);
    start = end;
  }
  end_crew(rank);
  char full_name[64];
  snprintf(full_name, sizeof full_name, "%s_floor_%u", name, n);
  report(full_name, "control", samples, FLOOR_SAMPLES);
}

#endif
