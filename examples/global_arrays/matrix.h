// Matrices of the size of the basis, small enough for each process to have its own.
#pragma once

#include "basis.h"

struct matrix {
  double at[FUNCTIONS][FUNCTIONS];
};

// The eigenvectors are the columns of `vectors`, sorted by ascending eigenvalue.
struct eigensystem {
  double values[FUNCTIONS];
  struct matrix vectors;
};

struct matrix product_of(const struct matrix* a, const struct matrix* b);

// Diagonalizes a symmetric matrix by Jacobi rotations.
struct eigensystem diagonalize(const struct matrix* symmetric);

// Returns S^(-1/2) of a symmetric, positive definite matrix S.
struct matrix inverse_square_root(const struct matrix* symmetric);
