// Elements of any type, and rectangles of up to four dimensions.
#ifndef GONDWANA_TESTS_GLOBAL_ARRAYS_PATCH_H
#define GONDWANA_TESTS_GLOBAL_ARRAYS_PATCH_H

#include "check.h"

enum { most_dims = 4, number_of_types = 6 };

typedef struct {
  int id;
  size_t size;
  const char* name;
} Type;

static const Type types[number_of_types] = {{C_INT, sizeof(int), "C_INT"},
                                            {C_LONG, sizeof(long), "C_LONG"},
                                            {C_FLOAT, sizeof(float), "C_FLOAT"},
                                            {C_DBL, sizeof(double), "C_DBL"},
                                            {C_SCPL, sizeof(float complex), "C_SCPL"},
                                            {C_DCPL, sizeof(Value), "C_DCPL"}};

// Names a call on arrays of a type, until the next use.
static inline const char* labelled(const char* call, const Type* type) {
  static char label[80];
  snprintf(label, sizeof label, "%s of %s", call, type->name);
  return label;
}

static inline int is_complex(const Type* type) {
  return type->id == C_SCPL || type->id == C_DCPL;
}

// What remains of a value in an element of this type.
static inline Value narrow(const Type* type, Value value) {
  return is_complex(type) ? value : creal(value);
}

static inline void store(const Type* type, void* buffer, long index, Value value) {
  const double real = creal(value);
  switch (type->id) {
    case C_INT:
      ((int*)buffer)[index] = (int)real;
      break;
    case C_LONG:
      ((long*)buffer)[index] = (long)real;
      break;
    case C_FLOAT:
      ((float*)buffer)[index] = (float)real;
      break;
    case C_DBL:
      ((double*)buffer)[index] = real;
      break;
    case C_SCPL:
      ((float complex*)buffer)[index] = (float complex)value;
      break;
    default:
      ((Value*)buffer)[index] = value;
      break;
  }
}

static inline Value load(const Type* type, const void* buffer, long index) {
  switch (type->id) {
    case C_INT:
      return ((const int*)buffer)[index];
    case C_LONG:
      return (double)((const long*)buffer)[index];
    case C_FLOAT:
      return ((const float*)buffer)[index];
    case C_DBL:
      return ((const double*)buffer)[index];
    case C_SCPL:
      return ((const float complex*)buffer)[index];
    default:
      return ((const Value*)buffer)[index];
  }
}

// Both bounds belong to the patch. `ld` holds the extents of its buffer, which may be larger.
typedef struct {
  int ndim;
  int lo[most_dims];
  int hi[most_dims];
  int ld[most_dims];
} Patch;

// The patch of all indices between `margin` and dims - 1 - margin. Every row of its buffer has
// `padding` more elements.
static inline Patch inner_patch(int ndim, const int dims[], int margin, int padding) {
  Patch patch = {.ndim = ndim};
  for (int d = 0; d < ndim; ++d) {
    patch.lo[d] = margin;
    patch.hi[d] = dims[d] - 1 - margin;
    patch.ld[d] = dims[d] - 2 * margin + padding;
  }
  return patch;
}

// The part of a patch whose first index is `row`.
static inline Patch row_of(Patch patch, int row) {
  patch.lo[0] = patch.hi[0] = row;
  patch.ld[0] = 1;
  return patch;
}

static inline long elements(const Patch* patch) {
  long product = 1;
  for (int d = 0; d < patch->ndim; ++d) product *= patch->ld[d];
  return product;
}

static inline void first_index(const Patch* patch, int index[]) {
  for (int d = 0; d < patch->ndim; ++d) index[d] = patch->lo[d];
}

// Moves to the next index, the last dimension first. Returns 0 after the last.
static inline int next_index(const Patch* patch, int index[]) {
  for (int d = patch->ndim - 1; d >= 0; --d) {
    if (++index[d] <= patch->hi[d]) return 1;
    index[d] = patch->lo[d];
  }
  return 0;
}

// Where the buffer of the patch holds an index.
static inline long position(const Patch* patch, const int index[]) {
  long at = 0;
  for (int d = 0; d < patch->ndim; ++d) at = at * patch->ld[d] + (index[d] - patch->lo[d]);
  return at;
}

// Every rank gets all elements of a matrix.
static inline void get_matrix(int array, const Type* type, int rows, int columns, Value* all) {
  void* buffer = malloc((size_t)rows * (size_t)columns * type->size);
  int lo[2] = {0, 0};
  int hi[2] = {rows - 1, columns - 1};
  int ld[1] = {columns};
  GA_Sync();
  NGA_Get(array, lo, hi, buffer, ld);
  for (int i = 0; i < rows * columns; ++i) all[i] = load(type, buffer, i);
  free(buffer);
  GA_Sync();
}

#endif  // GONDWANA_TESTS_GLOBAL_ARRAYS_PATCH_H
