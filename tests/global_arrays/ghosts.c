// Ghost cells of arrays with two and three dimensions, and patches that wrap around the edges.
#include "patch.h"

typedef struct {
  int ndim;
  int dims[most_dims];
  int width[most_dims];
} Shape;

static const Shape shapes[] = {{2, {60, 24}, {1, 2}}, {3, {60, 12, 10}, {2, 1, 1}}};

// The element at an index, which may be outside the array. Every round has other elements.
static Value value_at(const Shape* shape, const int index[], int round) {
  long at = 0;
  for (int d = 0; d < shape->ndim; ++d) {
    const int extent = shape->dims[d];
    at = at * extent + (index[d] + extent) % extent;
  }
  return (double)(at + 20000L * round) + (double)(at % 5) * I;
}

static int created(const Type* type, const Shape* shape) {
  Shape copy = *shape;
  return NGA_Create_ghosts(type->id, copy.ndim, copy.dims, copy.width, "ghosts", NULL);
}

// Rank r puts the rows r, r + ranks and so on.
static void put_rows(int array, const Type* type, const Shape* shape, int round) {
  const Patch whole = inner_patch(shape->ndim, shape->dims, 0, 0);
  for (int row = me; row < shape->dims[0]; row += ranks) {
    Patch part = row_of(whole, row);
    int index[most_dims] = {0};
    void* source = calloc((size_t)elements(&part), type->size);
    first_index(&part, index);
    do store(type, source, position(&part, index), value_at(shape, index, round));
    while (next_index(&part, index));
    NGA_Put(array, part.lo, part.hi, source, part.ld + 1);
    free(source);
  }
  GA_Sync();
}

// Returns whether an update in this dimension and direction, without corners, writes the element.
static int is_beyond(const Patch* block, const int index[], int dimension, int direction) {
  for (int d = 0; d < block->ndim; ++d) {
    const int side = index[d] < block->lo[d] ? -1 : index[d] > block->hi[d];
    if (side != (d == dimension ? direction : 0)) return 0;
  }
  return 1;
}

static int is_ghost(const Patch* block, const int index[]) {
  for (int d = 0; d < block->ndim; ++d)
    if (index[d] < block->lo[d] || index[d] > block->hi[d]) return 1;
  return 0;
}

// Checks the block of this rank and its ghost cells, which have the elements of `round`. If
// direction is not 0, only the ghosts in this direction do, and the others are one round older.
static void expect_ghosts(int array, const Type* type, const Shape* shape, int round, int dimension,
                          int direction) {
  Patch block = {.ndim = shape->ndim};
  Patch all;
  int dims[most_dims] = {0};
  int index[most_dims] = {0};
  void* cells = NULL;
  NGA_Distribution(array, me, block.lo, block.hi);
  all = block;
  NGA_Access_ghosts(array, dims, (void*)&cells, all.ld + 1);
  for (int d = 0; d < shape->ndim; ++d) {
    all.lo[d] -= shape->width[d];
    all.hi[d] += shape->width[d];
    expect(dims[d], all.hi[d] - all.lo[d] + 1, labelled("extent with ghosts", type), d);
  }
  first_index(&all, index);
  do {
    const int old = direction != 0 && is_ghost(&block, index) &&
                    !is_beyond(&block, index, dimension, direction);
    expect_value(
        load(type, cells, position(&all, index)), narrow(type, value_at(shape, index, round - old)),
        labelled(direction == 0 ? "ghosts" : "ghosts of a direction", type), position(&all, index));
  } while (next_index(&all, index));
  NGA_Release_ghosts(array);
  GA_Sync();
}

// For this call the C interface of Global Arrays counts dimensions from the last one.
static void update_direction(int array, int dimension, int direction, int corners) {
  const int ndim = GA_Ndim(array);
  expect(NGA_Update_ghost_dir(array, ndim - 1 - dimension, direction, corners), 1,
         "NGA_Update_ghost_dir", dimension);
}

static void update(const Type* type, const Shape* shape) {
  const int array = created(type, shape);
  int round = 0;
  expect(GA_Has_ghosts(array), 1, labelled("GA_Has_ghosts", type), 0);
  put_rows(array, type, shape, round);
  GA_Update_ghosts(array);
  expect_ghosts(array, type, shape, round, 0, 0);
  put_rows(array, type, shape, ++round);
  for (int d = 0; d < shape->ndim; ++d)
    for (int direction = -1; direction <= 1; direction += 2)
      update_direction(array, d, direction, 1);
  expect_ghosts(array, type, shape, round, 0, 0);
  for (int d = 0; d < shape->ndim; ++d) {
    for (int direction = -1; direction <= 1; direction += 2) {
      put_rows(array, type, shape, ++round);
      update_direction(array, d, direction, 0);
      expect_ghosts(array, type, shape, round, d, direction);
      GA_Update_ghosts(array);
    }
  }
  GA_Destroy(array);
}

// The patch ends after the last index in even dimensions, and begins before the first in odd ones.
static Patch wrapped_patch(const Shape* shape) {
  Patch patch = {.ndim = shape->ndim};
  for (int d = 0; d < shape->ndim; ++d) {
    patch.lo[d] = d % 2 == 0 ? shape->dims[d] - 3 : -4;
    patch.hi[d] = patch.lo[d] + 6 - d;
    patch.ld[d] = patch.hi[d] - patch.lo[d] + 1;
  }
  return patch;
}

static void expect_wrapped(const Type* type, const Shape* shape, const Patch* patch,
                           const void* buffer, double factor, const char* call) {
  int index[most_dims] = {0};
  first_index(patch, index);
  do
    expect_value(load(type, buffer, position(patch, index)),
                 factor * narrow(type, value_at(shape, index, 0)), labelled(call, type),
                 position(patch, index));
  while (next_index(patch, index));
}

static int is_in_wrapped(const Shape* shape, const Patch* patch, const int index[]) {
  for (int d = 0; d < shape->ndim; ++d) {
    const int extent = shape->dims[d];
    const int distance = (index[d] - patch->lo[d] + extent) % extent;
    if (distance > patch->hi[d] - patch->lo[d]) return 0;
  }
  return 1;
}

// The whole array: elements in the wrapped patch times a factor, zero elsewhere.
static void expect_only_wrapped(int array, const Type* type, const Shape* shape, const Patch* patch,
                                double factor) {
  Patch whole = inner_patch(shape->ndim, shape->dims, 0, 0);
  int index[most_dims] = {0};
  void* buffer = calloc((size_t)elements(&whole), type->size);
  NGA_Get(array, whole.lo, whole.hi, buffer, whole.ld + 1);
  first_index(&whole, index);
  do
    expect_value(
        load(type, buffer, position(&whole, index)),
        is_in_wrapped(shape, patch, index) ? factor * narrow(type, value_at(shape, index, 0)) : 0,
        labelled("NGA_Periodic_put", type), position(&whole, index));
  while (next_index(&whole, index));
  free(buffer);
  GA_Sync();
}

static void wrap(const Type* type, const Shape* shape) {
  const int array = created(type, shape);
  Patch patch = wrapped_patch(shape);
  void* buffer = calloc((size_t)elements(&patch), type->size);
  Value two = 0;
  store(type, &two, 0, 2);
  put_rows(array, type, shape, 0);
  NGA_Periodic_get(array, patch.lo, patch.hi, buffer, patch.ld + 1);
  expect_wrapped(type, shape, &patch, buffer, 1, "NGA_Periodic_get");
  GA_Sync();
  GA_Zero(array);
  if (me == ranks - 1) NGA_Periodic_put(array, patch.lo, patch.hi, buffer, patch.ld + 1);
  GA_Sync();
  expect_only_wrapped(array, type, shape, &patch, 1);
  NGA_Periodic_acc(array, patch.lo, patch.hi, buffer, patch.ld + 1, &two);
  GA_Sync();
  expect_only_wrapped(array, type, shape, &patch, 1 + 2 * ranks);
  free(buffer);
  GA_Destroy(array);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int t = 0; t < number_of_types; ++t) {
    for (int s = 0; s < 2; ++s) {
      update(&types[t], &shapes[s]);
      wrap(&types[t], &shapes[s]);
    }
  }
  return finish();
}
