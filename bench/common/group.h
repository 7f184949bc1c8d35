// A group of processes that represents the ranks of a node. Its first member waits until the others
// have arrived, exchanges data with the other group, and releases them.
#ifndef GONDWANA_BENCH_GROUP_H_
#define GONDWANA_BENCH_GROUP_H_

#include "barriers.h"

struct group {
  _Alignas(LINE_PAIR) _Atomic uint32_t arrived;
  _Alignas(LINE_PAIR) _Atomic uint32_t round;
};

// Called by the first member before the exchange. `others`: the number of other members.
static inline void gather(struct group* here, uint32_t others) {
  while (atomic_load_explicit(&here->arrived, memory_order_acquire) < others) sched_yield();
  atomic_store_explicit(&here->arrived, 0, memory_order_relaxed);
}

// Called by the first member after the exchange. `how`: the same as in follow().
static inline void release(struct group* here, enum wait_kind how) {
  atomic_fetch_add_explicit(&here->round, 1, memory_order_release);
  if (how == WAIT_FUTEX) futex_wake_all(&here->round);
}

// Called by every other member: arrives and waits for the release.
static inline void follow(struct group* here, enum wait_kind how) {
  const uint32_t round = atomic_load_explicit(&here->round, memory_order_relaxed);
  atomic_fetch_add_explicit(&here->arrived, 1, memory_order_acq_rel);
  wait_for_change(&here->round, round, how);
}

#endif
