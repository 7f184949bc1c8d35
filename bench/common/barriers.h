// The barriers and the lock that a PGAS library competes with, each in its plainest form.
#ifndef GONDWANA_BENCH_BARRIERS_H_
#define GONDWANA_BENCH_BARRIERS_H_

#include "measure.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum wait_kind { WAIT_SPIN, WAIT_YIELD, WAIT_FUTEX };
enum { SPINS_BEFORE_FUTEX = 200 };

struct central_barrier {
  _Alignas(LINE_PAIR) _Atomic uint32_t arrived;
  _Alignas(LINE_PAIR) _Atomic uint32_t generation;
};

// Processes get it in the order in which they ask.
struct ticket_lock {
  _Alignas(LINE_PAIR) _Atomic uint32_t next;
  _Alignas(LINE_PAIR) _Atomic uint32_t served;
};

// One flag per process, each on its own cache lines: for two processes only.
struct pair_barrier {
  struct {
    _Alignas(LINE_PAIR) _Atomic uint32_t count;
  } flag[2];
};

static inline void futex_wait(_Atomic uint32_t* word, uint32_t seen) {
  syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static inline void futex_wake_all(_Atomic uint32_t* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static inline void wait_for_change(_Atomic uint32_t* word, uint32_t old, enum wait_kind how) {
  for (unsigned looks = 0; atomic_load_explicit(word, memory_order_acquire) == old; ++looks) {
    if (how == WAIT_YIELD)
      sched_yield();
    else if (how == WAIT_FUTEX && looks >= SPINS_BEFORE_FUTEX)
      futex_wait(word, old);
    else
      relax();
  }
}

static inline void wait_for_value(_Atomic long* word, long value, enum wait_kind how) {
  while (atomic_load_explicit(word, memory_order_acquire) != value) {
    if (how == WAIT_SPIN)
      relax();
    else
      sched_yield();
  }
}

static inline void central_wait(struct central_barrier* barrier, uint32_t n, enum wait_kind how) {
  const uint32_t generation = atomic_load_explicit(&barrier->generation, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 < n) {
    wait_for_change(&barrier->generation, generation, how);
    return;
  }
  atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
  atomic_store_explicit(&barrier->generation, generation + 1, memory_order_release);
  if (how == WAIT_FUTEX) futex_wake_all(&barrier->generation);
}

// How processes wait before a control: they yield only if oversubscribed, because a yield may take
// long.
static inline enum wait_kind usual_wait(int processes) {
  return processes <= sysconf(_SC_NPROCESSORS_ONLN) ? WAIT_SPIN : WAIT_YIELD;
}

// Binds each rank if there is a processor for each: two ranks that spin on one processor would
// measure its scheduler. Called before the rank touches the memory that is measured, because the
// first touch places a page.
static inline void pin_unless_oversubscribed(void) {
  if (usual_wait(ranks) == WAIT_SPIN) pin(me);
}

static inline void pair_wait(struct pair_barrier* barrier, int side) {
  const uint32_t mine = atomic_load_explicit(&barrier->flag[side].count, memory_order_relaxed) + 1;
  atomic_store_explicit(&barrier->flag[side].count, mine, memory_order_release);
  // The other process may already be one barrier ahead.
  while ((int32_t)(atomic_load_explicit(&barrier->flag[!side].count, memory_order_acquire) - mine) <
         0)
    relax();
}

static inline void take_lock(struct ticket_lock* lock, enum wait_kind how) {
  const uint32_t mine = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&lock->served, memory_order_acquire) != mine) {
    if (how == WAIT_YIELD)
      sched_yield();
    else
      relax();
  }
}

static inline void give_lock(struct ticket_lock* lock) {
  const uint32_t served = atomic_load_explicit(&lock->served, memory_order_relaxed);
  atomic_store_explicit(&lock->served, served + 1, memory_order_release);
}

#endif
