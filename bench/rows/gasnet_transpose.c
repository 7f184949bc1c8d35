// The transposition of a square of ROWS x ROWS elements of 4 bytes, from rank 0 into the segment of
// rank 1, with one strided put of two dimensions. The control is a tiled loop between the same
// pages, with the fastest of several tile sizes and orders.
//
// Usage: gasnet_transpose [ROWS]
#include "gasnet_job.h"

#include <gasnet_vis.h>

enum { BATCHES = 7, TILE = 256 };

typedef uint32_t element;

struct square {
  size_t rows;
  element* from;
  struct window there;
  gex_TM_t team;
};

static element value_at(size_t row, size_t column, size_t salt) {
  return (element)(row * 65536 + column + salt);
}

static void put(const struct square* s) {
  const ptrdiff_t row = (ptrdiff_t)(s->rows * sizeof(element));
  const ptrdiff_t from_strides[] = {sizeof(element), row};
  const ptrdiff_t to_strides[] = {row, sizeof(element)};
  const size_t count[] = {s->rows, s->rows};
  gex_VIS_StridedPutBlocking(s->team, 1, s->there.owner, to_strides, s->from, from_strides,
                             sizeof(element), count, 2, 0);
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static void copy_tile(const struct square* s, element* to, size_t row, size_t column) {
  const size_t last_row = least(row + TILE, s->rows);
  const size_t last_column = least(column + TILE, s->rows);
  for (size_t j = column; j < last_column; ++j) {
    for (size_t i = row; i < last_row; ++i) to[j * s->rows + i] = s->from[i * s->rows + j];
  }
}

static void tiles(const struct square* s) {
  element* to = (element*)(void*)s->there.mapped;
  for (size_t column = 0; column < s->rows; column += TILE) {
    for (size_t row = 0; row < s->rows; row += TILE) copy_tile(s, to, row, column);
  }
}

static void fill(const struct square* s, size_t salt) {
  for (size_t i = 0; i < s->rows; ++i) {
    for (size_t j = 0; j < s->rows; ++j) s->from[i * s->rows + j] = value_at(i, j, salt);
  }
}

static int transposed(const struct square* s, size_t salt) {
  const element* to = (const element*)(void*)s->there.mapped;
  for (size_t j = 0; j < s->rows; ++j) {
    for (size_t i = 0; i < s->rows; ++i) {
      if (to[j * s->rows + i] != value_at(i, j, salt)) return 0;
    }
  }
  return 1;
}

static void measure(const struct square* s) {
  fill(s, 1);
  tiles(s);
  require(transposed(s, 1), "the control is wrong");
  fill(s, 2);
  put(s);
  require(transposed(s, 2), "the put has not transposed");
  TIME_BOTH(1, BATCHES, 1, put(s), tiles(s), "gasnet_transpose_%zu", s->rows);
}

int main(int argc, char** argv) {
  const size_t rows = argument(argc, argv, 1, 6400);
  const size_t bytes = rows * rows * sizeof(element);
  const struct job job = start_job(NULL, 0, bytes);
  if (job.rank == 0) {
    const struct square square = {rows, (element*)(void*)window_of(&job, 0).mapped,
                                  window_of(&job, 1), job.team};
    measure(&square);
  }
  end_job(&job);
}
