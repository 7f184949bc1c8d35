#include "matrix.h"

#include <math.h>

struct matrix product_of(const struct matrix* a, const struct matrix* b) {
  struct matrix result;
  for (int i = 0; i < FUNCTIONS; ++i) {
    for (int j = 0; j < FUNCTIONS; ++j) {
      double sum = 0;
      for (int k = 0; k < FUNCTIONS; ++k) sum += a->at[i][k] * b->at[k][j];
      result.at[i][j] = sum;
    }
  }
  return result;
}

// Rotates columns p and q.
static void rotate_columns(struct matrix* matrix, int p, int q, double cosine, double sine) {
  for (int i = 0; i < FUNCTIONS; ++i) {
    const double x = matrix->at[i][p];
    const double y = matrix->at[i][q];
    matrix->at[i][p] = cosine * x - sine * y;
    matrix->at[i][q] = sine * x + cosine * y;
  }
}

static void rotate_rows(struct matrix* matrix, int p, int q, double cosine, double sine) {
  for (int i = 0; i < FUNCTIONS; ++i) {
    const double x = matrix->at[p][i];
    const double y = matrix->at[q][i];
    matrix->at[p][i] = cosine * x - sine * y;
    matrix->at[q][i] = sine * x + cosine * y;
  }
}

// Makes the element at p, q zero by a rotation in the plane of the two.
static void eliminate(struct matrix* matrix, struct matrix* vectors, int p, int q) {
  const double element = matrix->at[p][q];
  if (element == 0) return;
  const double theta = (matrix->at[q][q] - matrix->at[p][p]) / (2 * element);
  const double tangent = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double cosine = 1 / sqrt(tangent * tangent + 1);
  const double sine = tangent * cosine;
  rotate_columns(matrix, p, q, cosine, sine);
  rotate_rows(matrix, p, q, cosine, sine);
  rotate_columns(vectors, p, q, cosine, sine);
}

static double off_diagonal_norm(const struct matrix* matrix) {
  double squares = 0;
  for (int i = 0; i < FUNCTIONS; ++i) {
    for (int j = 0; j < i; ++j) squares += matrix->at[i][j] * matrix->at[i][j];
  }
  return sqrt(squares);
}

static void exchange(double* a, double* b) {
  const double value = *a;
  *a = *b;
  *b = value;
}

// Selection sort: a few exchanges of columns.
static void sort(struct eigensystem* system) {
  for (int i = 0; i < FUNCTIONS; ++i) {
    int lowest = i;
    for (int j = i + 1; j < FUNCTIONS; ++j) {
      if (system->values[j] < system->values[lowest]) lowest = j;
    }
    exchange(&system->values[i], &system->values[lowest]);
    for (int row = 0; row < FUNCTIONS; ++row) {
      exchange(&system->vectors.at[row][i], &system->vectors.at[row][lowest]);
    }
  }
}

struct eigensystem diagonalize(const struct matrix* symmetric) {
  enum { most_sweeps = 50 };  // about six are enough
  struct matrix matrix = *symmetric;
  struct eigensystem system = {.values = {0}};
  for (int i = 0; i < FUNCTIONS; ++i) system.vectors.at[i][i] = 1;
  for (int sweep = 0; sweep < most_sweeps && off_diagonal_norm(&matrix) > 1e-13; ++sweep) {
    for (int p = 0; p < FUNCTIONS; ++p) {
      for (int q = p + 1; q < FUNCTIONS; ++q) eliminate(&matrix, &system.vectors, p, q);
    }
  }
  for (int i = 0; i < FUNCTIONS; ++i) system.values[i] = matrix.at[i][i];
  sort(&system);
  return system;
}

struct matrix inverse_square_root(const struct matrix* symmetric) {
  const struct eigensystem system = diagonalize(symmetric);
  struct matrix result = {.at = {{0}}};
  for (int i = 0; i < FUNCTIONS; ++i) {
    for (int j = 0; j < FUNCTIONS; ++j) {
      for (int k = 0; k < FUNCTIONS; ++k) {
        result.at[i][j] +=
            system.vectors.at[i][k] * system.vectors.at[j][k] / sqrt(system.values[k]);
      }
    }
  }
  return result;
}
