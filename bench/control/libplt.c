#include "plt.h"

#include <stdio.h>
#include <stdlib.h>

static char* window;
static size_t window_bytes;
static const _Atomic int* flag;

void plt_window(void* base, size_t bytes) {
  window = base;
  window_bytes = bytes;
}

void plt_flag(const _Atomic int* asleep) {
  flag = asleep;
}

__attribute__((noinline, cold)) static void outside(void) {
  fputs("plt: an address outside of the window\n", stderr);
  abort();
}

__attribute__((noinline, cold)) static void wake(void) {
  fputs("plt: wake\n", stderr);
}

// One compare: below the window, the difference is huge.
static inline void check(const void* address) {
  if ((size_t)((const char*)address - window) > window_bytes - sizeof(long)) outside();
}

static inline void store(_Atomic long* target, long value) {
  check(target);
  atomic_store_explicit(target, value, memory_order_relaxed);
}

void plt_store(_Atomic long* target, long value) {
  store(target, value);
}

long plt_load(const _Atomic long* source) {
  check(source);
  return atomic_load_explicit(source, memory_order_relaxed);
}

void plt_put8(_Atomic long* target, const long* source) {
  store(target, *source);
}

void plt_get8(long* target, const _Atomic long* source) {
  check(source);
  *target = atomic_load_explicit(source, memory_order_relaxed);
}

long plt_fetch_add(_Atomic long* target, long value) {
  check(target);
  return atomic_fetch_add_explicit(target, value, memory_order_seq_cst);
}

void plt_store_and_look(_Atomic long* target, long value) {
  store(target, value);
  atomic_signal_fence(memory_order_seq_cst);
  if (atomic_load_explicit(flag, memory_order_relaxed) != 0) wake();
}
