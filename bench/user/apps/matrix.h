// The product of two square matrices in strips of rows. A rank fetches the strips of the second
// matrix one after the other, starting with its own.
#ifndef GONDWANA_BENCH_APPS_MATRIX_H_
#define GONDWANA_BENCH_APPS_MATRIX_H_

#include "app.h"

enum { ORDER = 224 };

static double* left;  // own strips
static double* right;
static double* product;
static double* fetched;   // a strip of another rank
static double* whole[3];  // for the serial program: left, right, product

static long matrix_rows(int rank) {
  return first_of(ORDER, rank + 1) - first_of(ORDER, rank);
}

static double left_at(long row, long column) {
  return (double)((row * 7 + column * 3) % 11);
}

static double right_at(long row, long column) {
  return (double)((row * 5 + column * 2) % 13);
}

static void fill_matrices(double* a, double* b, long first, long rows) {
  for (long row = 0; row < rows; ++row) {
    for (long column = 0; column < ORDER; ++column) {
      a[row * ORDER + column] = left_at(first + row, column);
      b[row * ORDER + column] = right_at(first + row, column);
    }
  }
}

// Adds the product of `rows` rows and the rows `first` to `last` of the second matrix. Values are
// integers, so the order of the sums does not matter.
static void multiply(double* to, const double* a, long rows, const double* b, long first,
                     long last) {
  for (long row = 0; row < rows; ++row) {
    for (long k = first; k < last; ++k) {
      const double factor = a[row * ORDER + k];
      const double* from = b + (k - first) * ORDER;
      for (long column = 0; column < ORDER; ++column)
        to[row * ORDER + column] += factor * from[column];
    }
  }
}

static void begin_matrix(void) {
  const size_t most = (size_t)(ORDER / ranks + 1) * ORDER * sizeof(double);
  left = allocate_private(most);
  product = allocate_private(most);
  fetched = allocate_private(most);
  right = allocate_symmetric(most);
  for (int i = 0; i < 3; ++i) whole[i] = allocate_private(ORDER * ORDER * sizeof(double));
  fill_matrices(left, right, first_of(ORDER, me), matrix_rows(me));
  fill_matrices(whole[0], whole[1], 0, ORDER);
}

static void matrix(void) {
  memset(product, 0, (size_t)matrix_rows(me) * ORDER * sizeof *product);
  for (int step = 0; step < ranks; ++step) {
    const int from = (me + step) % ranks;
    const double* strip_of = right;
    if (from != me) {
      shmem_getmem(fetched, right, (size_t)matrix_rows(from) * ORDER * sizeof *right, from);
      strip_of = fetched;
    }
    multiply(product, left, matrix_rows(me), strip_of, first_of(ORDER, from),
             first_of(ORDER, from + 1));
  }
}

static void serial_matrix(void) {
  memset(whole[2], 0, ORDER * ORDER * sizeof(double));
  multiply(whole[2], whole[0], ORDER, whole[1], 0, ORDER);
}

static int is_product(void) {
  const double* own = whole[2] + first_of(ORDER, me) * ORDER;
  return memcmp(product, own, (size_t)matrix_rows(me) * ORDER * sizeof *product) == 0;
}

static void end_matrix(void) {
  for (int i = 0; i < 3; ++i) free(whole[i]);
  shmem_free(right);
  free(fetched);
  free(product);
  free(left);
}

#endif
