// Products and transposes of matrices.
#include "matrix.h"

static void product(int is_a_transposed, int is_b_transposed) {
  enum { m = 23, n = 19, k = 31 };
  static Matrix a, b, c;
  create(&a, is_a_transposed ? k : m, is_a_transposed ? m : k, 1);
  create(&b, is_b_transposed ? n : k, is_b_transposed ? k : n, 2);
  create(&c, m, n, 3);
  for (int i = 0; i < m * n; ++i) {
    double sum = 0;
    for (int j = 0; j < k; ++j)
      sum += cell(&a, i / n, j, is_a_transposed) * cell(&b, j, i % n, is_b_transposed);
    c.cells[i] = 2 * sum - 3 * c.cells[i];
  }
  GA_Dgemm(is_a_transposed ? 'T' : 'N', is_b_transposed ? 'T' : 'N', m, n, k, 2, a.array, b.array,
           -3, c.array);
  expect_matrix(&c, 1e-9, "GA_Dgemm");
  GA_Destroy(a.array);
  GA_Destroy(b.array);
  GA_Destroy(c.array);
}

// The product of a patch of 9 x 7 and one of 7 x 8. The bounds are those of the transposed matrix
// where a matrix is transposed.
static void product_of_patches(int is_a_transposed, int is_b_transposed) {
  enum { m = 9, n = 8, k = 7 };
  static Matrix a, b, c;
  double alpha = 2;
  double beta = 1;
  int alo[2] = {3, 5};
  int ahi[2] = {alo[0] + m - 1, alo[1] + k - 1};
  int blo[2] = {8, 2};
  int bhi[2] = {blo[0] + k - 1, blo[1] + n - 1};
  int clo[2] = {10, 1};
  int chi[2] = {clo[0] + m - 1, clo[1] + n - 1};
  create(&a, 20, 21, 4);
  create(&b, 25, 18, 5);
  create(&c, 24, 15, 6);
  for (int i = 0; i < m * n; ++i) {
    double sum = 0;
    for (int j = 0; j < k; ++j)
      sum += cell(&a, alo[0] + i / n, alo[1] + j, is_a_transposed) *
             cell(&b, blo[0] + j, blo[1] + i % n, is_b_transposed);
    c.cells[(clo[0] + i / n) * c.columns + clo[1] + i % n] += 2 * sum;
  }
  NGA_Matmul_patch(is_a_transposed ? 'T' : 'N', is_b_transposed ? 'T' : 'N', &alpha, &beta, a.array,
                   alo, ahi, b.array, blo, bhi, c.array, clo, chi);
  expect_matrix(&c, 1e-9, "NGA_Matmul_patch");
  GA_Destroy(a.array);
  GA_Destroy(b.array);
  GA_Destroy(c.array);
}

static int complex_matrix(int size, Value* cells, int seed) {
  int dims[2] = {size, size};
  int hi[2] = {size - 1, size - 1};
  const int array = NGA_Create(C_DCPL, 2, dims, "complex", NULL);
  for (int i = 0; i < size * size; ++i)
    cells[i] = (double)((i + seed) % 7) + (double)(i % 5 - 2) * I;
  if (me == 0) NGA_Put(array, lowest, hi, cells, &size);
  GA_Sync();
  return array;
}

static void complex_product(void) {
  enum { size = 18 };
  static Value a[size * size], b[size * size], c[size * size], found[size * size];
  const DoubleComplex alpha = {1, 2};
  const DoubleComplex beta = {0, -1};
  int ld = size;
  int hi[2] = {size - 1, size - 1};
  const int array_a = complex_matrix(size, a, 1);
  const int array_b = complex_matrix(size, b, 2);
  const int array_c = complex_matrix(size, c, 3);
  GA_Zgemm('N', 'T', size, size, size, alpha, array_a, array_b, beta, array_c);
  NGA_Get(array_c, lowest, hi, found, &ld);
  for (int i = 0; i < size * size; ++i) {
    Value sum = 0;
    for (int k = 0; k < size; ++k) sum += a[i / size * size + k] * b[i % size * size + k];
    expect_value(found[i], (1 + 2 * I) * sum - I * c[i], "GA_Zgemm", i);
  }
  GA_Destroy(array_c);
  GA_Destroy(array_b);
  GA_Destroy(array_a);
}

static void transpose_and_symmetrize(void) {
  static Matrix a, b;
  create(&a, 14, 22, 7);
  create(&b, 22, 14, 8);
  GA_Transpose(a.array, b.array);
  for (int i = 0; i < 22 * 14; ++i) b.cells[i] = cell(&a, i / 14, i % 14, 1);
  expect_matrix(&b, 0, "GA_Transpose");
  GA_Destroy(a.array);
  GA_Destroy(b.array);
  create(&a, 21, 21, 9);
  b = a;
  for (int i = 0; i < 21 * 21; ++i)
    a.cells[i] = (cell(&b, i / 21, i % 21, 0) + cell(&b, i / 21, i % 21, 1)) / 2;
  GA_Symmetrize(a.array);
  expect_matrix(&a, 0, "GA_Symmetrize");
  GA_Destroy(a.array);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int form = 0; form < 4; ++form) {
    product(form / 2, form % 2);
    product_of_patches(form / 2, form % 2);
  }
  complex_product();
  transpose_and_symmetrize();
  return finish();
}
