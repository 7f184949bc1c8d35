// The start, end and checks of every program in this folder. A failed check is counted and the
// program continues, so that no other process waits for it.
#ifndef GONDWANA_TESTS_ARMCI_JOB_H
#define GONDWANA_TESTS_ARMCI_JOB_H

#include <armcix.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { job_most = 8 };  // processes

static int job_me;
static int job_ranks;
static int job_right;  // neighbours in a ring
static int job_left;
static int job_failures;
static unsigned long long job_random_state = 1;

#define CHECK(condition) job_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_INT(found, expected) \
  job_check_int((found), (expected), __FILE__, __LINE__, #found " == " #expected)
#define CHECK_REAL(found, expected) \
  job_check_real((found), (expected), __FILE__, __LINE__, #found " == " #expected)
#define CHECK_BYTES(found, expected, size) \
  job_check_bytes((found), (expected), (size), __FILE__, __LINE__, #found " == " #expected)

static inline void job_check(int holds, const char* file, int line, const char* what) {
  if (holds) return;
  ++job_failures;
  fprintf(stderr, "rank %d: %s:%d: not true: %s\n", job_me, file, line, what);
}

static inline void job_check_int(long long found, long long expected, const char* file, int line,
                                 const char* what) {
  if (found == expected) return;
  ++job_failures;
  fprintf(stderr, "rank %d: %s:%d: %s: expected %lld, found %lld\n", job_me, file, line, what,
          expected, found);
}

static inline void job_check_real(double found, double expected, const char* file, int line,
                                  const char* what) {
  if (found == expected) return;
  ++job_failures;
  fprintf(stderr, "rank %d: %s:%d: %s: expected %.17g, found %.17g\n", job_me, file, line, what,
          expected, found);
}

static inline void job_check_bytes(const void* found, const void* expected, size_t size,
                                   const char* file, int line, const char* what) {
  const unsigned char* a = (const unsigned char*)found;
  const unsigned char* b = (const unsigned char*)expected;
  size_t i = 0;
  while (i < size && a[i] == b[i]) ++i;
  if (i == size) return;
  ++job_failures;
  fprintf(stderr, "rank %d: %s:%d: %s: byte %zu of %zu: expected %d, found %d\n", job_me, file,
          line, what, i, size, b[i], a[i]);
}

// The argument of programs with random numbers is the seed.
static inline void job_start(int* argc, char*** argv, int is_random) {
  ARMCI_Init_args(argc, argv);
  job_me = armci_msg_me();
  job_ranks = armci_msg_nproc();
  job_right = (job_me + 1) % job_ranks;
  job_left = (job_me + job_ranks - 1) % job_ranks;
  if (!is_random) return;
  const unsigned long long seed = *argc > 1 ? strtoull((*argv)[1], NULL, 10) : 1;
  if (job_me == 0) printf("seed %llu\n", seed);
  job_random_state = seed * 1000 + (unsigned long long)job_me + 1;
}

static inline int job_end(void) {
  ARMCI_Finalize();
  return job_failures == 0 ? 0 : 1;
}

// xorshift; the result is below `limit`.
static inline int job_random(int limit) {
  job_random_state ^= job_random_state << 13;
  job_random_state ^= job_random_state >> 7;
  job_random_state ^= job_random_state << 17;
  return (int)(job_random_state % (unsigned)limit);
}

static inline void job_fill(void* memory, size_t size) {
  unsigned char* bytes = (unsigned char*)memory;
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)job_random(256);
}

// Waits without calls of the library until another process has stored the value.
static inline void job_await(const int* word, int value) {
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) sched_yield();
}

#endif  // GONDWANA_TESTS_ARMCI_JOB_H
