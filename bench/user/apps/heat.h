// Heat in a square plate with a hot edge, by Jacobi steps. Each rank has a strip of rows. After
// each step it puts its first and last row to its neighbours, and then a flag with the number of
// the step.
#ifndef GONDWANA_BENCH_APPS_HEAT_H_
#define GONDWANA_BENCH_APPS_HEAT_H_

#include "app.h"

enum { PLATE = 384, STEPS = 40, ROW_BYTES = PLATE * sizeof(double) };

static double* strip[2];  // including a row of each neighbour
static double* plate[2];  // for the serial program
static double* halo[2];   // by step modulo 2: from above, from below
static long* reached;     // last steps of the neighbours above and below

static long strip_rows(int rank) {
  return first_of(PLATE, rank + 1) - first_of(PLATE, rank);
}

// Computes the rows between the first and the last one of `from`. The edges of the plate do not
// change.
static void jacobi(double* to, const double* from, long rows, long first) {
  for (long row = 1; row <= rows; ++row) {
    const double* at = from + row * PLATE;
    double* next = to + row * PLATE;
    const int is_edge = first + row - 1 == 0 || first + row - 1 == PLATE - 1;
    memcpy(next, at, ROW_BYTES);
    for (long i = 1; !is_edge && i < PLATE - 1; ++i)
      next[i] = 0.25 * (at[i - 1] + at[i + 1] + at[i - PLATE] + at[i + PLATE]);
  }
}

static void heat_up(double* rows, long count, long first) {
  memset(rows, 0, (size_t)(count + 2) * ROW_BYTES);
  for (long i = 0; first == 0 && i < PLATE; ++i) rows[PLATE + i] = 100;
}

static void begin_heat(void) {
  const size_t own = (size_t)(strip_rows(me) + 2) * ROW_BYTES;
  for (int i = 0; i < 2; ++i) {
    strip[i] = allocate_private(own);
    plate[i] = allocate_private((PLATE + 2) * ROW_BYTES);
    halo[i] = allocate_symmetric(2 * ROW_BYTES);
  }
  reached = allocate_symmetric(2 * sizeof *reached);
}

// This rank is above the neighbour below it, so it uses index 0 there.
static void give_row(int to, int place, long step, const double* row) {
  shmem_putmem(halo[step % 2] + (ptrdiff_t)place * PLATE, row, ROW_BYTES, to);
  shmem_fence();
  shmem_long_p(&reached[place], step, to);
}

static void take_row(int place, long step, double* row) {
  shmem_long_wait_until(&reached[place], SHMEM_CMP_GE, step);
  memcpy(row, halo[step % 2] + (ptrdiff_t)place * PLATE, ROW_BYTES);
}

// A neighbour cannot be two steps ahead, because it needs a row of this rank for each.
static void heat(void) {
  const long rows = strip_rows(me);
  static long step;  // continues across runs, so that flags of an earlier run are not mistaken
  heat_up(strip[0], rows, first_of(PLATE, me));
  for (long i = 0; i < STEPS; ++i) {
    double* now = strip[i % 2];
    ++step;
    if (me > 0) give_row(me - 1, 1, step, now + PLATE);
    if (me < ranks - 1) give_row(me + 1, 0, step, now + rows * PLATE);
    if (me > 0) take_row(0, step, now);
    if (me < ranks - 1) take_row(1, step, now + (rows + 1) * PLATE);
    jacobi(strip[(i + 1) % 2], now, rows, first_of(PLATE, me));
  }
}

static void serial_heat(void) {
  heat_up(plate[0], PLATE, 0);
  for (long i = 0; i < STEPS; ++i) jacobi(plate[(i + 1) % 2], plate[i % 2], PLATE, 0);
}

static int is_heated(void) {
  const double* own = strip[STEPS % 2] + PLATE;
  const double* all = plate[STEPS % 2] + PLATE + first_of(PLATE, me) * PLATE;
  return memcmp(own, all, (size_t)strip_rows(me) * ROW_BYTES) == 0;
}

static void end_heat(void) {
  shmem_free(reached);
  for (int i = 1; i >= 0; --i) {
    shmem_free(halo[i]);
    free(plate[i]);
    free(strip[i]);
  }
}

#endif
