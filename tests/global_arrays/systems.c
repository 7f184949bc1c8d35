// Systems of linear equations, operations on the elements of matrices, and selection of elements.
#include "matrix.h"

enum { size = 150, right_sides = 7 };  // more than two blocks of ScaLAPACK

// The C interface hands matrices to Fortran as their transposes. The right sides and solutions are
// therefore rows, and the system is x a = b. The diagonal exceeds the sum of each row, so a
// symmetric matrix with a positive diagonal is positive definite.
static void create_system(Matrix* a, Matrix* b, Matrix* x, int is_symmetric, double diagonal) {
  create(a, size, size, 1);
  for (int i = 0; i < size; ++i) {
    a->cells[i * size + i] = diagonal + i % 5;
    for (int j = 0; j < i && is_symmetric; ++j) a->cells[j * size + i] = a->cells[i * size + j];
  }
  put(a);
  create(x, right_sides, size, 2);
  create(b, right_sides, size, 3);
  for (int i = 0; i < right_sides * size; ++i) {
    b->cells[i] = 0;
    for (int k = 0; k < size; ++k)
      b->cells[i] += x->cells[i / size * size + k] * a->cells[k * size + i % size];
  }
  put(b);
}

static void expect_solution(Matrix* a, Matrix* b, Matrix* x, const char* call) {
  const int array = x->array;
  x->array = b->array;
  expect_matrix(x, 1e-9, call);
  GA_Destroy(a->array);
  GA_Destroy(b->array);
  GA_Destroy(array);
}

// GA_Solve returns a positive number if the matrix is not positive definite, and solves as well.
static void solve(void) {
  static Matrix a, b, x;
  create_system(&a, &b, &x, 1, 1000);
  expect(GA_Llt_solve(a.array, b.array), 0, "result of GA_Llt_solve", 0);
  expect_solution(&a, &b, &x, "GA_Llt_solve");
  create_system(&a, &b, &x, 1, 1000);
  expect(GA_Solve(a.array, b.array), 0, "result of GA_Solve", 0);
  expect_solution(&a, &b, &x, "GA_Solve");
  create_system(&a, &b, &x, 1, -1000);
  expect(GA_Solve(a.array, b.array) > 0, 1, "positive result of GA_Solve", 0);
  expect_solution(&a, &b, &x, "GA_Solve, not positive definite");
  create_system(&a, &b, &x, 0, 1000);
  GA_Lu_solve('N', a.array, b.array);
  expect_solution(&a, &b, &x, "GA_Lu_solve");
}

static double median(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void operate_on_elements(void) {
  enum { rows = 20, columns = 33, cells = rows * columns };
  static Matrix a, b, c, result;
  create(&a, rows, columns, 4);
  create(&b, rows, columns, 5);
  create(&c, rows, columns, 6);
  create(&result, rows, columns, 7);
  for (int i = 0; i < cells; ++i) result.cells[i] = a.cells[i] * b.cells[i];
  GA_Elem_multiply(a.array, b.array, result.array);
  expect_matrix(&result, 0, "GA_Elem_multiply");
  for (int i = 0; i < cells; ++i) result.cells[i] = fmax(a.cells[i], b.cells[i]);
  GA_Elem_maximum(a.array, b.array, result.array);
  expect_matrix(&result, 0, "GA_Elem_maximum");
  for (int i = 0; i < cells; ++i) result.cells[i] = fmin(a.cells[i], b.cells[i]);
  GA_Elem_minimum(a.array, b.array, result.array);
  expect_matrix(&result, 0, "GA_Elem_minimum");
  for (int i = 0; i < cells; ++i) result.cells[i] = median(a.cells[i], b.cells[i], c.cells[i]);
  GA_Median(a.array, b.array, c.array, result.array);
  expect_matrix(&result, 0, "GA_Median");
  double ten = 10;
  for (int i = 0; i < cells; ++i) c.cells[i] += ten;
  GA_Add_constant(c.array, &ten);
  expect_matrix(&c, 0, "GA_Add_constant");
  for (int i = 0; i < cells; ++i) result.cells[i] = a.cells[i] / c.cells[i];
  GA_Elem_divide(a.array, c.array, result.array);
  expect_matrix(&result, 1e-12, "GA_Elem_divide");
  for (int i = 0; i < cells; ++i) a.cells[i] = fabs(a.cells[i]);
  GA_Abs_value(a.array);
  expect_matrix(&a, 0, "GA_Abs_value");
  for (int i = 0; i < cells; ++i) c.cells[i] = 1 / c.cells[i];
  GA_Recip(c.array);
  expect_matrix(&c, 1e-12, "GA_Recip");
  GA_Destroy(a.array);
  GA_Destroy(b.array);
  GA_Destroy(c.array);
  GA_Destroy(result.array);
}

// The smallest and the largest element exist once.
static void select_elements(void) {
  enum { rows = 29, columns = 31 };
  static Matrix a;
  char* const operators[2] = {"min", "max"};
  create(&a, rows, columns, 8);
  for (int row = 0; row < rows; row += 4) {
    const int at[2] = {row * columns + (row * 7 + 3) % columns, (rows - 1) * columns + row};
    for (int i = 0; i < 2; ++i) {
      int index[2] = {-1, -1};
      double value = 0;
      const double kept = a.cells[at[i]];
      a.cells[at[i]] = i == 0 ? -50 - row : 50 + row;
      put(&a);
      NGA_Select_elem(a.array, operators[i], &value, index);
      expect_near(value, a.cells[at[i]], 0, "NGA_Select_elem", row);
      expect(index[0] * columns + index[1], at[i], "index of NGA_Select_elem", row);
      a.cells[at[i]] = kept;
    }
  }
  GA_Destroy(a.array);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  solve();
  operate_on_elements();
  select_elements();
  return finish();
}
