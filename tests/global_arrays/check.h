// The start, end and checks of every program in this folder. A failed check prints one line and the
// program continues.
#ifndef GONDWANA_TESTS_GLOBAL_ARRAYS_CHECK_H
#define GONDWANA_TESTS_GLOBAL_ARRAYS_CHECK_H

#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex Value;

enum { most_failures = 20 };  // lines that one rank prints at most

static int me;
static int ranks;
static int failures = 0;

static inline void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  GA_Initialize();
  MA_init(C_DBL, 1 << 18, 1 << 18);
  me = GA_Nodeid();
  ranks = GA_Nnodes();
}

// Returns the exit status of this rank.
static inline int finish(void) {
  GA_Terminate();
  MPI_Finalize();
  return failures > 0;
}

// Counts a failure. Returns whether its line is still to be printed.
static inline int is_reported(void) {
  return failures++ < most_failures;
}

static inline void expect(long found, long wanted, const char* what, long index) {
  if (found == wanted || !is_reported()) return;
  fprintf(stderr, "rank %d: %s: at %ld: expected %ld, found %ld\n", me, what, index, wanted, found);
}

static inline void expect_near(double found, double wanted, double error, const char* what,
                               long index) {
  if (fabs(found - wanted) <= error || !is_reported()) return;
  fprintf(stderr, "rank %d: %s: at %ld: expected %.15g, found %.15g\n", me, what, index, wanted,
          found);
}

// Complex numbers that are exact.
static inline void expect_value(Value found, Value wanted, const char* what, long index) {
  if (found == wanted || !is_reported()) return;
  fprintf(stderr, "rank %d: %s: at %ld: expected %g%+gi, found %g%+gi\n", me, what, index,
          creal(wanted), cimag(wanted), creal(found), cimag(found));
}

#endif  // GONDWANA_TESTS_GLOBAL_ARRAYS_CHECK_H
