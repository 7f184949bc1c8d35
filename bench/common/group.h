// A group of processes that stands for the ranks of a node: its first member learns when the others
// have arrived, does what must cross to the other group, and releases them.
#ifndef GONDWANA_BENCH_GROUP_H_
#define GONDWANA_BENCH_GROUP_H_

#include "barriers.h"

struct group {
  _Alignas(LINE_PAIR) _Atomic uint32_t arrived;
  _Alignas(LINE_PAIR) _Atomic uint32_t round;
};

// The first member, before the exchange. `others`: the members without the first.
static inline void gather(struct group* here, uint32_t others) {
  while (atomic_load_explicit(&here->arrived, memory_order_acquire) < others) sched_yield();
  atomic_store_explicit(&here->arrived, 0, memory_order_relaxed);
}

// The first member, after the exchange. `how`: the same as in follow().
static inline void release(struct group* here, enum wait_kind how) {
  atomic_fetch_add_explicit(&here->round, 1, memory_order_release);
  if (how == WAIT_FUTEX) futex_wake_all(&here->round);
}

// Every other member: arrives and waits for the release.
static inline void follow(struct group* here, enum wait_kind how) {
  const uint32_t round = atomic_load_explicit(&here->round, memory_order_relaxed);
  atomic_fetch_add_explicit(&here->arrived, 1, memory_order_acq_rel);
  wait_for_change(&here->round, round, how);
}

#endif
