// Matrices of small integers, which every rank knows.
#ifndef GONDWANA_TESTS_GLOBAL_ARRAYS_MATRIX_H
#define GONDWANA_TESTS_GLOBAL_ARRAYS_MATRIX_H

#include "check.h"

enum { most_cells = 150 * 150 };

typedef struct {
  int array;
  int rows;
  int columns;
  double cells[most_cells];  // what the array holds, on every rank
} Matrix;

static int lowest[2] = {0, 0};

static inline int highest(const Matrix* matrix, int hi[2]) {
  hi[0] = matrix->rows - 1;
  hi[1] = matrix->columns - 1;
  return matrix->columns;
}

static inline void put(Matrix* matrix) {
  int hi[2];
  int ld[1] = {highest(matrix, hi)};
  GA_Sync();
  if (me == 0) NGA_Put(matrix->array, lowest, hi, matrix->cells, ld);
  GA_Sync();
}

// Elements are between -4 and 6, and differ with the seed.
static inline void create(Matrix* matrix, int rows, int columns, int seed) {
  int dims[2] = {rows, columns};
  matrix->rows = rows;
  matrix->columns = columns;
  matrix->array = NGA_Create(C_DBL, 2, dims, "matrix", NULL);
  for (int i = 0; i < rows * columns; ++i)
    matrix->cells[i] = (i / columns * 3 + i % columns * 5 + seed * 7) % 11 - 4;
  put(matrix);
}

static inline double cell(const Matrix* matrix, int row, int column, int is_transposed) {
  return is_transposed ? matrix->cells[column * matrix->columns + row]
                       : matrix->cells[row * matrix->columns + column];
}

// Compares the array with the cells.
static inline void expect_matrix(const Matrix* matrix, double error, const char* what) {
  static double found[most_cells];
  int hi[2];
  int ld[1] = {highest(matrix, hi)};
  GA_Sync();
  NGA_Get(matrix->array, lowest, hi, found, ld);
  for (int i = 0; i < matrix->rows * matrix->columns; ++i)
    expect_near(found[i], matrix->cells[i], error, what, i);
  GA_Sync();
}

#endif  // GONDWANA_TESTS_GLOBAL_ARRAYS_MATRIX_H
