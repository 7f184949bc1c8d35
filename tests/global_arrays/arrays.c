// Arrays of all types with one to four dimensions: patches that several ranks own, blocking and
// nonblocking transfers, irregular distributions, and direct access.
#include "patch.h"

static const int extents[most_dims] = {17, 9, 7, 5};
static const Value untouched = -9;
static const Value alpha = 2 + 1 * I;

// The element of the whole array at a position.
static Value value_at(long at) {
  return (double)(at % 53 + 1) + (double)(at % 7) * I;
}

static void* filled_buffer(const Type* type, const Patch* patch, Value value) {
  void* buffer = calloc((size_t)elements(patch), type->size);
  for (long i = 0; i < elements(patch); ++i) store(type, buffer, i, value);
  return buffer;
}

static void* source_buffer(const Type* type, const Patch* whole, const Patch* patch) {
  int index[most_dims] = {0};
  void* buffer = filled_buffer(type, patch, untouched);
  first_index(patch, index);
  do store(type, buffer, position(patch, index), value_at(position(whole, index)));
  while (next_index(patch, index));
  return buffer;
}

// Rank r puts the rows r, r + ranks and so on. Nonblocking calls put the odd rows.
static void put_rows(int array, const Type* type, const Patch* whole) {
  for (int row = me; row <= whole->hi[0]; row += ranks) {
    Patch part = row_of(*whole, row);
    void* source = source_buffer(type, whole, &part);
    if (row % 2 == 0) {
      NGA_Put(array, part.lo, part.hi, source, part.ld + 1);
    } else {
      ga_nbhdl_t handle;
      NGA_NbPut(array, part.lo, part.hi, source, part.ld + 1, &handle);
      NGA_NbWait(&handle);
    }
    free(source);
  }
  GA_Sync();
}

// Elements of the patch are value + factor * value. The call must not write to the padding of the
// buffer.
static void expect_patch(const Type* type, const Patch* whole, const Patch* patch,
                         const void* buffer, Value factor, const char* call) {
  char what[80];
  int index[most_dims] = {0};
  void* rest = filled_buffer(type, patch, untouched);
  snprintf(what, sizeof what, "%s of %s, %d-D", call, type->name, patch->ndim);
  first_index(patch, index);
  do {
    const Value value = narrow(type, value_at(position(whole, index)));
    const long at = position(patch, index);
    expect_value(load(type, buffer, at), value + narrow(type, factor) * value, what, at);
    store(type, rest, at, load(type, buffer, at));
  } while (next_index(patch, index));
  for (long i = 0; i < elements(patch); ++i)
    expect_value(load(type, buffer, i), load(type, rest, i), "padding of a buffer", i);
  free(rest);
}

static void get_patch(int array, const Type* type, const Patch* whole, Value factor) {
  Patch inner = inner_patch(whole->ndim, extents, 1, 3);
  void* dest = filled_buffer(type, &inner, untouched);
  void* other = filled_buffer(type, &inner, untouched);
  ga_nbhdl_t handle;
  NGA_NbGet(array, inner.lo, inner.hi, other, inner.ld + 1, &handle);
  NGA_Get(array, inner.lo, inner.hi, dest, inner.ld + 1);
  while (!NGA_NbTest(&handle)) continue;
  expect_patch(type, whole, &inner, dest, factor, "NGA_Get");
  expect_patch(type, whole, &inner, other, factor, "NGA_NbGet");
  free(other);
  free(dest);
  GA_Sync();
}

// All ranks accumulate into the same patch, once by each call.
static void accumulate(int array, const Type* type, const Patch* whole) {
  Patch inner = inner_patch(whole->ndim, extents, 1, 2);
  void* source = source_buffer(type, whole, &inner);
  Value scale = 0;
  ga_nbhdl_t handle;
  store(type, &scale, 0, alpha);
  NGA_NbAcc(array, inner.lo, inner.hi, source, inner.ld + 1, &scale, &handle);
  NGA_Acc(array, inner.lo, inner.hi, source, inner.ld + 1, &scale);
  NGA_NbWait(&handle);
  GA_Sync();
  get_patch(array, type, whole, 2.0 * ranks * alpha);
  free(source);
}

// Each rank writes its block in place. All ranks get what the owners wrote.
static void access_block(int array, const Type* type, const Patch* whole) {
  Patch mine = {.ndim = whole->ndim};
  Patch all = *whole;
  void* block = NULL;
  int index[most_dims] = {0};
  NGA_Distribution(array, me, mine.lo, mine.hi);
  if (mine.lo[0] >= 0 && mine.lo[0] <= mine.hi[0]) {
    NGA_Access(array, mine.lo, mine.hi, (void*)&block, mine.ld + 1);
    first_index(&mine, index);
    do store(type, block, position(&mine, index), value_at(position(whole, index)));
    while (next_index(&mine, index));
    NGA_Release_update(array, mine.lo, mine.hi);
  }
  GA_Sync();
  void* dest = filled_buffer(type, &all, untouched);
  NGA_Get(array, all.lo, all.hi, dest, all.ld + 1);
  expect_patch(type, whole, &all, dest, 0, "NGA_Access");
  free(dest);
  GA_Sync();
}

static void use_array(int array, const Type* type, int ndim) {
  const Patch whole = inner_patch(ndim, extents, 0, 0);
  Value zero = 0;
  GA_Fill(array, &zero);
  put_rows(array, type, &whole);
  get_patch(array, type, &whole, 0);
  accumulate(array, type, &whole);
  access_block(array, type, &whole);
  GA_Destroy(array);
}

static int created(const Type* type, int ndim) {
  int dims[most_dims];
  int chunk[most_dims] = {-1, -1, -1, -1};
  for (int d = 0; d < ndim; ++d) dims[d] = extents[d];
  return NGA_Create(type->id, ndim, dims, "regular", chunk);
}

// The blocks of the first dimension start at 0, 1, 3, 6 and so on; the last takes the rest.
static int created_irregular(const Type* type) {
  int dims[2] = {extents[0], extents[1]};
  const int owners = ranks < 8 ? ranks : 8;
  int blocks[2] = {owners % 2 == 0 ? owners / 2 : owners, owners % 2 == 0 ? 2 : 1};
  int starts[8 + 1] = {0};
  for (int b = 0; b < blocks[0]; ++b) starts[b] = blocks[0] > 5 ? b : b * (b + 1) / 2;
  for (int b = 0; b < blocks[1]; ++b) starts[blocks[0] + b] = 2 * b;
  const int array = NGA_Create_irreg(type->id, 2, dims, "irregular", blocks, starts);
  for (int b = 0; b < blocks[0] * blocks[1]; ++b) {
    const int row = b / blocks[1];
    const int column = b % blocks[1];
    int at[2] = {starts[row], starts[blocks[0] + column]};
    int lo[2];
    int hi[2];
    NGA_Distribution(array, NGA_Locate(array, at), lo, hi);
    expect(lo[0], at[0], "first row of a block", b);
    expect(lo[1], at[1], "first column of a block", b);
    expect(hi[0], row + 1 < blocks[0] ? starts[row + 1] - 1 : dims[0] - 1, "last row", b);
    expect(hi[1], column + 1 < blocks[1] ? starts[blocks[0] + 1] - 1 : dims[1] - 1, "column", b);
  }
  return array;
}

// Many arrays exist at a time. Their order of destruction differs from that of creation.
static void create_many(void) {
  enum { many = 30 };
  int arrays[many] = {0};
  for (int i = 0; i < many; ++i) {
    int index[1] = {i};
    int dims[1] = {many + i};
    arrays[i] = NGA_Create(C_INT, 1, dims, "many", NULL);
    GA_Zero(arrays[i]);
    if (me == i % ranks) NGA_Put(arrays[i], index, index, &i, NULL);
  }
  GA_Sync();
  for (int i = 0; i < many; ++i) {
    const int at = i * 7 % many;
    int index[1] = {at};
    int found = -1;
    NGA_Get(arrays[at], index, index, &found, NULL);
    expect(found, at, "element of one of many arrays", at);
    GA_Sync();
    GA_Destroy(arrays[at]);
  }
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int t = 0; t < number_of_types; ++t) {
    for (int ndim = 1; ndim <= most_dims; ++ndim)
      use_array(created(&types[t], ndim), &types[t], ndim);
    use_array(created_irregular(&types[t]), &types[t], 2);
  }
  create_many();
  return finish();
}
