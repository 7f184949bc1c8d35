// iput and iget of longs from rank 0 to rank 1, a figure for each number of elements. The control
// is a bare loop of loads and stores. The strides of source and target are 2 elements.
// Usage: strided
#include "pairs.h"

#include <stdatomic.h>

enum { BATCHES = 100, LONGEST = 1024, STRIDE = 2, CELLS = LONGEST * STRIDE };

static long* own;
static size_t elements;

static void ours_iput(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    shmem_long_iput(c->symmetric, own, STRIDE, STRIDE, elements, c->peer);
}

static void control_iput(const struct cells* c, size_t ops) {
  const long* source = own;
  _Atomic long* target = c->mapped;
  for (size_t i = 0; i < ops; ++i)
    for (size_t at = 0; at < STRIDE * elements; at += STRIDE)
      atomic_store_explicit(&target[at], source[at], memory_order_relaxed);
}

static void ours_iget(const struct cells* c, size_t ops) {
  for (size_t i = 0; i < ops; ++i)
    shmem_long_iget(own, c->symmetric, STRIDE, STRIDE, elements, c->peer);
}

static void control_iget(const struct cells* c, size_t ops) {
  volatile long* target = own;
  for (size_t i = 0; i < ops; ++i)
    for (size_t at = 0; at < STRIDE * elements; at += STRIDE)
      target[at] = atomic_load_explicit(&c->mapped[at], memory_order_relaxed);
}

static void expect(const struct cells* c, const char* what) {
  for (size_t at = 0; at < CELLS; ++at) {
    const long wanted = at % STRIDE == 0 ? (long)at : 0;
    if (own[at] != wanted || c->mapped[at] != wanted) fail("wrong value at %zu after %s", at, what);
  }
}

static void measure(const struct cells* c) {
  static const size_t counts[] = {4, 64, LONGEST};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    char name[32];
    elements = counts[i];
    const size_t ops = 40000 / elements;
    snprintf(name, sizeof name, "iput_%zu", elements);
    run_pair(&(struct pair){name, ours_iput, control_iput}, c, BATCHES, ops, 1);
    snprintf(name, sizeof name, "iget_%zu", elements);
    run_pair(&(struct pair){name, ours_iget, control_iget}, c, BATCHES, ops, 1);
  }
  expect(c, "iput and iget");
}

int main(void) {
  start_shmem();
  long* symmetric = allocate_symmetric(CELLS * sizeof *symmetric);
  own = allocate_private(CELLS * sizeof *own);
  for (size_t at = 0; at < CELLS; at += STRIDE) own[at] = (long)at;
  if (me == 0) {
    const int peer = ranks - 1;
    measure(&(struct cells){symmetric,
                            mapped_or_private(symmetric, CELLS * sizeof *symmetric, peer), peer});
  }
  end_shmem();
}
