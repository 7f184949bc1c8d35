// Access to elements that are not contiguous: scatter, gather and strided patches.
#include "patch.h"

enum { rows = 31, columns = 17, cells = rows * columns, step = 7 };

static Value copy[cells];  // of the whole array

static Value value_at(int at) {
  return (double)(at % 101 + 1) + (double)(at % 4) * I;
}

static int created(const Type* type) {
  int dims[2] = {rows, columns};
  const int array = NGA_Create(type->id, 2, dims, "elements", NULL);
  GA_Zero(array);
  return array;
}

static void get_all(int array, const Type* type) {
  get_matrix(array, type, rows, columns, copy);
}

// Elements of the array in an irregular order. Neighbours in a walk are `step` elements apart.
typedef struct {
  int count;
  int at[cells];
  int subscripts[cells][2];
  int* pointers[cells];
  Value values[cells];  // memory for elements of any type
} Walk;

static Walk* walk(const Type* type, int first, int stride) {
  static Walk made;
  made.count = 0;
  for (int k = first; k < cells; k += stride) {
    const int n = made.count++;
    made.at[n] = k * step % cells;
    made.subscripts[n][0] = made.at[n] / columns;
    made.subscripts[n][1] = made.at[n] % columns;
    made.pointers[n] = made.subscripts[n];
    store(type, made.values, n, value_at(made.at[n]));
  }
  return &made;
}

static void expect_gathered(const Walk* all, const Type* type, const char* call) {
  for (int n = 0; n < all->count; ++n)
    expect_value(load(type, all->values, n), narrow(type, value_at(all->at[n])),
                 labelled(call, type), all->at[n]);
}

// Each rank scatters its share, gathers all elements, and adds to all elements.
static void scatter_and_gather(const Type* type) {
  const int array = created(type);
  Value two = 0;
  store(type, &two, 0, 2);
  Walk* part = walk(type, me, 2 * ranks);
  NGA_Scatter(array, part->values, part->pointers, part->count);
  part = walk(type, me + ranks, 2 * ranks);
  NGA_Scatter_flat(array, part->values, part->subscripts[0], part->count);
  GA_Sync();
  Walk* all = walk(type, 0, 1);
  for (int n = 0; n < all->count; ++n) store(type, all->values, n, -1);
  NGA_Gather(array, all->values, all->pointers, all->count);
  expect_gathered(all, type, "NGA_Gather");
  for (int n = 0; n < all->count; ++n) store(type, all->values, n, -1);
  NGA_Gather_flat(array, all->values, all->subscripts[0], all->count);
  expect_gathered(all, type, "NGA_Gather_flat");
  GA_Sync();
  NGA_Scatter_acc(array, all->values, all->pointers, all->count, &two);
  NGA_Scatter_acc_flat(array, all->values, all->subscripts[0], all->count, &two);
  get_all(array, type);
  for (int i = 0; i < cells; ++i)
    expect_value(copy[i], (1 + 4 * ranks) * narrow(type, value_at(i)),
                 labelled("NGA_Scatter_acc", type), i);
  GA_Destroy(array);
}

// Every second row and every third column. The buffer holds them without gaps.
static void strided(const Type* type) {
  enum { taken_rows = 13, taken_columns = 5, taken = taken_rows * taken_columns };
  static Value buffer[taken];
  const int array = created(type);
  int lo[2] = {3, 1};
  int hi[2] = {lo[0] + 2 * (taken_rows - 1), lo[1] + 3 * (taken_columns - 1)};
  int skip[2] = {2, 3};
  int ld[1] = {taken_columns};
  Value two = 0;
  store(type, &two, 0, 2);
  for (int i = 0; i < taken; ++i) store(type, buffer, i, value_at(i));
  if (me == 0) NGA_Strided_put(array, lo, hi, skip, buffer, ld);
  GA_Sync();
  NGA_Strided_acc(array, lo, hi, skip, buffer, ld, &two);
  get_all(array, type);
  NGA_Strided_get(array, lo, hi, skip, buffer, ld);
  for (int i = 0; i < cells; ++i) {
    const int row = i / columns - lo[0];
    const int column = i % columns - lo[1];
    const int is_taken = row >= 0 && row % 2 == 0 && row / 2 < taken_rows && column >= 0 &&
                         column % 3 == 0 && column / 3 < taken_columns;
    const int at = row / 2 * taken_columns + column / 3;
    const Value wanted = is_taken ? (1 + 2 * ranks) * narrow(type, value_at(at)) : 0;
    expect_value(copy[i], wanted, labelled("NGA_Strided_acc", type), i);
    if (is_taken)
      expect_value(load(type, buffer, at), wanted, labelled("NGA_Strided_get", type), i);
  }
  GA_Destroy(array);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int t = 0; t < number_of_types; ++t) {
    scatter_and_gather(&types[t]);
    strided(&types[t]);
  }
  return finish();
}
