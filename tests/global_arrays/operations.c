// Operations on whole arrays and on patches of them, for all types: zero, fill, copy, scale, add,
// duplicate and dot products.
#include "patch.h"

enum { rows = 13, columns = 11, cells = rows * columns };

static Value copy[cells];  // of the whole array

static Value value_at(int row, int column) {
  return (double)(row + 2 * column + 1) + (double)(row % 3) * I;
}

// Every rank gets the whole array.
static void get_all(int array, const Type* type) {
  get_matrix(array, type, rows, columns, copy);
}

static int is_inside(const int lo[2], const int hi[2], int row, int column) {
  return row >= lo[0] && row <= hi[0] && column >= lo[1] && column <= hi[1];
}

// Creates an array in which rank 0 put value_at() times a factor.
static int filled(const Type* type, double factor) {
  static Value buffer[cells];
  int dims[2] = {rows, columns};
  int lo[2] = {0, 0};
  int hi[2] = {rows - 1, columns - 1};
  int ld[1] = {columns};
  const int array = NGA_Create(type->id, 2, dims, "operand", NULL);
  for (int i = 0; i < cells; ++i)
    store(type, buffer, i, factor * value_at(i / columns, i % columns));
  if (me == 0) NGA_Put(array, lo, hi, buffer, ld);
  GA_Sync();
  return array;
}

static void expect_all(int array, const Type* type, Value factor, const char* call) {
  get_all(array, type);
  for (int i = 0; i < cells; ++i)
    expect_value(copy[i], narrow(type, factor) * narrow(type, value_at(i / columns, i % columns)),
                 labelled(call, type), i);
}

static void zero_and_fill(const Type* type) {
  int lo[2] = {2, 3};
  int hi[2] = {9, 8};
  int zero_lo[2] = {4, 0};
  int zero_hi[2] = {4, columns - 1};
  Value filling = 0;
  const int array = filled(type, 1);
  store(type, &filling, 0, 41 + 3 * I);
  NGA_Fill_patch(array, lo, hi, &filling);
  NGA_Zero_patch(array, zero_lo, zero_hi);
  get_all(array, type);
  for (int i = 0; i < cells; ++i) {
    const int row = i / columns;
    const int column = i % columns;
    const Value rest = is_inside(lo, hi, row, column) ? 41 + 3 * I : value_at(row, column);
    expect_value(copy[i], row == 4 ? 0 : narrow(type, rest), labelled("NGA_Fill_patch", type), i);
  }
  GA_Zero(array);
  expect_all(array, type, 0, "GA_Zero");
  GA_Fill(array, &filling);
  get_all(array, type);
  for (int i = 0; i < cells; ++i)
    expect_value(copy[i], narrow(type, 41 + 3 * I), labelled("GA_Fill", type), i);
  GA_Destroy(array);
}

// The patch goes to other rows and columns, straight and transposed.
static void copy_patch(const Type* type, int transposed) {
  int from_lo[2] = {1, 2};
  int from_hi[2] = {7, 5};
  int to_lo[2] = {4, 3};
  int to_hi[2] = {4 + (transposed ? 3 : 6), 3 + (transposed ? 6 : 3)};
  const int source = filled(type, 1);
  const int target = filled(type, -1);
  NGA_Copy_patch(transposed ? 'T' : 'N', source, from_lo, from_hi, target, to_lo, to_hi);
  get_all(target, type);
  for (int i = 0; i < cells; ++i) {
    const int row = i / columns - to_lo[0];
    const int column = i % columns - to_lo[1];
    Value wanted = -value_at(i / columns, i % columns);
    if (is_inside(to_lo, to_hi, i / columns, i % columns))
      wanted = value_at(from_lo[0] + (transposed ? column : row),
                        from_lo[1] + (transposed ? row : column));
    expect_value(copy[i], narrow(type, wanted), labelled("NGA_Copy_patch", type), i);
  }
  GA_Destroy(target);
  GA_Destroy(source);
}

static void scale_and_add(const Type* type) {
  Value three = 0;
  Value two = 0;
  int lo[2] = {3, 1};
  int hi[2] = {rows - 1, 6};
  const int a = filled(type, 1);
  const int b = filled(type, 10);
  const int sum = GA_Duplicate(a, "sum");
  store(type, &three, 0, 3);
  store(type, &two, 0, 2 + 1 * I);
  GA_Scale(a, &three);
  expect_all(a, type, 3, "GA_Scale");
  GA_Add(&two, a, &three, b, sum);
  expect_all(sum, type, 3 * (2 + 1 * I) + 30, "GA_Add");
  GA_Copy(b, sum);
  expect_all(sum, type, 10, "GA_Copy");
  NGA_Scale_patch(sum, lo, hi, &three);
  NGA_Add_patch(&three, a, lo, hi, &two, b, lo, hi, a, lo, hi);
  get_all(sum, type);
  for (int i = 0; i < cells; ++i) {
    const int row = i / columns;
    const double factor = is_inside(lo, hi, row, i % columns) ? 30 : 10;
    expect_value(copy[i], factor * narrow(type, value_at(row, i % columns)),
                 labelled("NGA_Scale_patch", type), i);
  }
  get_all(a, type);
  for (int i = 0; i < cells; ++i) {
    const int row = i / columns;
    const Value factor = is_inside(lo, hi, row, i % columns) ? 9 + 10 * (2 + 1 * I) : 3;
    expect_value(copy[i], narrow(type, factor) * narrow(type, value_at(row, i % columns)),
                 labelled("NGA_Add_patch", type), i);
  }
  GA_Destroy(sum);
  GA_Destroy(b);
  GA_Destroy(a);
}

static Value dot(const Type* type, int a, int b) {
  switch (type->id) {
    case C_INT:
      return GA_Idot(a, b);
    case C_LONG:
      return (double)GA_Ldot(a, b);
    case C_FLOAT:
      return GA_Fdot(a, b);
    case C_DBL:
      return GA_Ddot(a, b);
    case C_SCPL: {
      const SingleComplex product = GA_Cdot(a, b);
      return product.real + product.imag * I;
    }
    default: {
      const DoubleComplex product = GA_Zdot(a, b);
      return product.real + product.imag * I;
    }
  }
}

static void dot_products(const Type* type) {
  const int a = filled(type, 1);
  const int b = filled(type, 2);
  Value wanted = 0;
  for (int i = 0; i < cells; ++i) {
    const Value value = narrow(type, value_at(i / columns, i % columns));
    wanted += 2 * value * value;
  }
  expect_value(dot(type, a, b), wanted, labelled("dot product", type), 0);
  GA_Destroy(b);
  GA_Destroy(a);
}

// A duplicate has the shape, the type and the distribution of its original, and its own elements.
static void duplicate(const Type* type) {
  int dims[2];
  int id = 0;
  int ndim = 0;
  const int original = filled(type, 1);
  const int other = GA_Duplicate(original, "duplicate");
  NGA_Inquire(other, &id, &ndim, dims);
  expect(id, type->id, labelled("type of a duplicate", type), 0);
  expect(ndim, 2, labelled("dimensions of a duplicate", type), 0);
  expect((long)dims[0] * dims[1], cells, labelled("extents of a duplicate", type), 0);
  expect(GA_Compare_distr(original, other), 0, labelled("distribution of a duplicate", type), 0);
  GA_Zero(other);
  expect_all(original, type, 1, "original of a duplicate");
  GA_Destroy(original);
  expect_all(other, type, 0, "duplicate without its original");
  GA_Destroy(other);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int t = 0; t < number_of_types; ++t) {
    zero_and_fill(&types[t]);
    copy_patch(&types[t], 0);
    copy_patch(&types[t], 1);
    scale_and_add(&types[t]);
    dot_products(&types[t]);
    duplicate(&types[t]);
  }
  return finish();
}
