// Two ways to do the same thing, in one process, in alternating batches: both see the same machine.
#ifndef GONDWANA_BENCH_PAIRS_H_
#define GONDWANA_BENCH_PAIRS_H_

#include "../common/shmem_job.h"

// The data of the batches.
struct cells {
  long* symmetric;       // our address of the peer's cell, as passed to OpenSHMEM
  _Atomic long* mapped;  // the peer's cell as mapped here
  int peer;
};

typedef void batch(const struct cells* cells, size_t ops);

// Fills `ns` with the time per operation of one batch.
static inline void time_batch(batch* run, const struct cells* cells, size_t ops, double* ns) {
  const int64_t start = now_ns();
  run(cells, ops);
  *ns = ns_per_op(now_ns() - start, ops);
}

struct pair {
  const char* name;
  batch* ours;
  batch* control;
};

static inline void run_pair(const struct pair* pair, const struct cells* cells, size_t batches,
                            size_t ops, int print) {
  pair->ours(cells, ops);
  pair->control(cells, ops);
  TIME_BOTH(print, batches, ops, pair->ours(cells, ops), pair->control(cells, ops), "%s",
            pair->name);
}

// The copy of a symmetric object at the peer, as mapped by this process. Without a mapping the
// control uses private pages, which can only make it faster.
static inline void* mapped_or_private(void* symmetric, size_t bytes, int peer) {
  void* mapped = shmem_ptr(symmetric, peer);
  if (mapped != NULL) return mapped;
  if (me == 0) fputs("bench: no shmem_ptr here; the control uses private pages\n", stderr);
  mapped = new_pages(bytes);
  memset(mapped, 0, bytes);
  return mapped;
}

#endif
