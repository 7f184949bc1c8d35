// Rows of a picture of the Mandelbrot set, which take different times. A rank takes the number of
// its next row by fetch-and-add on rank 0, and puts the finished row there.
#ifndef GONDWANA_BENCH_APPS_WORK_QUEUE_H_
#define GONDWANA_BENCH_APPS_WORK_QUEUE_H_

#include "app.h"

enum { SIDE = 192, MOST_STEPS = 400 };

static unsigned short* picture;      // on rank 0
static unsigned short* own_picture;  // for the serial program
static long* next_row;               // on rank 0

static unsigned short steps_at(double x, double y) {
  double re = 0;
  double im = 0;
  int step = 0;
  for (; step < MOST_STEPS && re * re + im * im < 4; ++step) {
    const double next = re * re - im * im + x;
    im = 2 * re * im + y;
    re = next;
  }
  return (unsigned short)step;
}

static void draw_row(long row, unsigned short* to) {
  for (int i = 0; i < SIDE; ++i)
    to[i] = steps_at(-2 + 2.5 * i / SIDE, -1.25 + 2.5 * (double)row / SIDE);
}

static void begin_work_queue(void) {
  picture = allocate_symmetric(SIDE * SIDE * sizeof *picture);
  own_picture = allocate_private(SIDE * SIDE * sizeof *own_picture);
  next_row = allocate_symmetric(sizeof *next_row);
}

static void work_queue(void) {
  unsigned short row[SIDE];
  *next_row = 0;
  shmem_barrier_all();
  for (;;) {
    const long number = shmem_long_atomic_fetch_inc(next_row, 0);
    if (number >= SIDE) break;
    draw_row(number, row);
    shmem_putmem(picture + number * SIDE, row, sizeof row, 0);
  }
}

static void serial_work_queue(void) {
  for (long row = 0; row < SIDE; ++row) draw_row(row, own_picture + row * SIDE);
}

static int is_drawn(void) {
  return me != 0 || memcmp(picture, own_picture, SIDE * SIDE * sizeof *picture) == 0;
}

static void end_work_queue(void) {
  shmem_free(next_row);
  free(own_picture);
  shmem_free(picture);
}

#endif
