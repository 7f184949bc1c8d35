// The distance between two cores: the round trip of a word between two processes, over one cache
// line that both write, or over two lines with one writer each.
// Usage: ping_pong LINES [BATCHES]
#include "../common/crew.h"

#include <stdatomic.h>

enum { TRIPS = 1000 };

struct lines {
  struct {
    _Alignas(LINE_PAIR) _Atomic uint64_t word;
  } line[2];
};

static void wait_for(_Atomic uint64_t* word, uint64_t value) {
  for (unsigned looks = 0; atomic_load_explicit(word, memory_order_acquire) != value; ++looks)
    let_others_run(looks);
}

static void set(_Atomic uint64_t* word, uint64_t value) {
  atomic_store_explicit(word, value, memory_order_release);
}

// Rank 0 serves odd values, rank 1 returns even ones; `out` and `in` may be the same line.
static void serve(_Atomic uint64_t* out, _Atomic uint64_t* in, uint64_t first) {
  for (uint64_t trip = first; trip < first + TRIPS; ++trip) {
    set(out, 2 * trip + 1);
    wait_for(in, 2 * trip + 2);
  }
}

static void give_back(_Atomic uint64_t* out, _Atomic uint64_t* in, uint64_t trips) {
  for (uint64_t trip = 0; trip < trips; ++trip) {
    wait_for(in, 2 * trip + 1);
    set(out, 2 * trip + 2);
  }
}

int main(int argc, char** argv) {
  const size_t line_count = argument(argc, argv, 1, 2);
  const size_t batches = argument(argc, argv, 2, 50);
  struct lines* shared = shared_pages(sizeof *shared);
  _Atomic uint64_t* there = &shared->line[0].word;
  _Atomic uint64_t* back = &shared->line[line_count == 1 ? 0 : 1].word;

  const int rank = start_crew(2);
  if (rank == 1) {
    give_back(back, there, batches * TRIPS);
    end_crew(rank);
  }
  double* samples = new_samples(batches);
  for (size_t i = 0; i < batches; ++i) {
    const int64_t start = now_ns();
    serve(there, back, i * TRIPS);
    samples[i] = ns_per_op(now_ns() - start, TRIPS);
  }
  end_crew(rank);
  report(line_count == 1 ? "ping_pong_1_line" : "ping_pong_2_lines", "control", samples, batches);
  return 0;
}
