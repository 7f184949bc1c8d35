// files [DIRECTORY]: disk resident arrays. Rank 0 makes a directory in DIRECTORY or in /tmp, and
// removes it at the end. The ranks write arrays and sections of arrays, close them, open them and
// read them.
#define _DEFAULT_SOURCE 1  // NOLINT(readability-identifier-naming): the C library's name
#include <dra.h>

#include "patch.h"

#include <sys/stat.h>
#include <unistd.h>

static char directory[4096];

static void make_directory(const char* parent) {
  snprintf(directory, sizeof directory, "%s/global_arrays_%ld", parent, (long)getpid());
  if (me == 0 && mkdir(directory, 0700) != 0) {
    perror(directory);
    GA_Error("no directory for files", 1);
  }
  GA_Brdcst(directory, (int)sizeof directory, 0);
}

// The directory must be empty by now.
static void remove_directory(void) {
  GA_Sync();
  if (me == 0) expect(rmdir(directory), 0, "removal of an empty directory", 0);
}

static Value value_at(const Patch* whole, const int index[]) {
  const long at = position(whole, index);
  return (double)(at % 1009 + 1) + (double)(at % 11) * I;
}

static Patch whole_of(int array) {
  int type = 0;
  int ndim = 0;
  int dims[GA_MAX_DIM];
  NGA_Inquire(array, &type, &ndim, dims);
  return inner_patch(ndim, dims, 0, 0);
}

static void put_all(int array, const Type* type) {
  Patch whole = whole_of(array);
  for (int row = me; row <= whole.hi[0]; row += ranks) {
    Patch part = row_of(whole, row);
    int index[most_dims] = {0};
    void* source = calloc((size_t)elements(&part), type->size);
    first_index(&part, index);
    do store(type, source, position(&part, index), value_at(&whole, index));
    while (next_index(&part, index));
    NGA_Put(array, part.lo, part.hi, source, part.ld + 1);
    free(source);
  }
  GA_Sync();
}

// The value of an element inside [lo, hi] belongs to its index plus `shift`. The others are zero.
static void expect_all(int array, const Type* type, const int lo[], const int hi[], int shift,
                       const char* call) {
  Patch whole = whole_of(array);
  int index[most_dims] = {0};
  void* found = calloc((size_t)elements(&whole), type->size);
  NGA_Get(array, whole.lo, whole.hi, found, whole.ld + 1);
  first_index(&whole, index);
  do {
    int from[most_dims];
    int is_inside = 1;
    for (int d = 0; d < whole.ndim; ++d) {
      from[d] = index[d] + shift;
      if (index[d] < lo[d] || index[d] > hi[d]) is_inside = 0;
    }
    expect_value(load(type, found, position(&whole, index)),
                 is_inside ? narrow(type, value_at(&whole, from)) : 0, labelled(call, type),
                 position(&whole, index));
  } while (next_index(&whole, index));
  free(found);
  GA_Sync();
}

static void wait_for(int request) {
  int status = 1;
  DRA_Probe(request, &status);
  expect(DRA_Wait(request), 0, "DRA_Wait", 0);
}

static int create_on_disk(const Type* type, int ndim, const int dims[], char* path) {
  dra_size_t extents[most_dims];
  dra_size_t unknown[most_dims] = {-1, -1, -1, -1};
  int on_disk = -1;
  for (int d = 0; d < ndim; ++d) extents[d] = dims[d];
  expect(NDRA_Create(type->id, ndim, extents, "array", path, DRA_RW, unknown, &on_disk), 0,
         labelled("NDRA_Create", type), ndim);
  return on_disk;
}

static void inquire(int on_disk, const Type* type, int ndim, const int dims[]) {
  dra_size_t extents[GA_MAX_DIM];
  char name[256];
  char path[4096];
  int id = 0;
  int dimensions = 0;
  NDRA_Inquire(on_disk, &id, &dimensions, extents, name, path);
  expect(id, type->id, "type of an array on disk", 0);
  expect(dimensions, ndim, "dimensions of an array on disk", 0);
  for (int d = 0; d < ndim; ++d) expect(extents[d], dims[d], "extent of an array on disk", d);
}

// Reads a section from disk to another place of the array, and writes it back.
static void move_section(int array, int on_disk, const Type* type, const Patch* whole) {
  dra_size_t disk_lo[most_dims];
  dra_size_t disk_hi[most_dims];
  int lo[most_dims];
  int hi[most_dims];
  int request = DRA_REQ_INVALID;
  for (int d = 0; d < whole->ndim; ++d) {
    lo[d] = 1;
    hi[d] = whole->hi[d] - 2;
    disk_lo[d] = 3;
    disk_hi[d] = whole->hi[d];
  }
  GA_Zero(array);
  expect(NDRA_Read_section(0, array, lo, hi, on_disk, disk_lo, disk_hi, &request), 0,
         labelled("NDRA_Read_section", type), 0);
  wait_for(request);
  expect_all(array, type, lo, hi, 2, "NDRA_Read_section");
  expect(NDRA_Write_section(0, array, lo, hi, on_disk, disk_lo, disk_hi, &request), 0,
         labelled("NDRA_Write_section", type), 0);
  wait_for(request);
}

static void use(const Type* type, int ndim, int dims[]) {
  int request = DRA_REQ_INVALID;
  char path[5000];
  snprintf(path, sizeof path, "%s/array", directory);
  const int array = NGA_Create(type->id, ndim, dims, "memory", NULL);
  const Patch whole = whole_of(array);
  int on_disk = create_on_disk(type, ndim, dims, path);
  put_all(array, type);
  expect(NDRA_Write(array, on_disk, &request), 0, labelled("NDRA_Write", type), ndim);
  wait_for(request);
  expect(DRA_Close(on_disk), 0, labelled("DRA_Close", type), ndim);
  GA_Zero(array);
  expect(DRA_Open(path, DRA_RW, &on_disk), 0, labelled("DRA_Open", type), ndim);
  inquire(on_disk, type, ndim, dims);
  expect(NDRA_Read(array, on_disk, &request), 0, labelled("NDRA_Read", type), ndim);
  wait_for(request);
  expect_all(array, type, whole.lo, whole.hi, 0, "NDRA_Read");
  move_section(array, on_disk, type, &whole);
  GA_Zero(array);
  expect(NDRA_Read(array, on_disk, &request), 0, labelled("NDRA_Read", type), ndim);
  wait_for(request);
  expect_all(array, type, whole.lo, whole.hi, 0, "NDRA_Write_section");
  expect(DRA_Delete(on_disk), 0, labelled("DRA_Delete", type), ndim);
  GA_Destroy(array);
}

int main(int argc, char** argv) {
  int dims[3][3] = {{1000}, {90, 70}, {20, 16, 14}};
  start(&argc, &argv);
  make_directory(argc > 1 ? argv[1] : "/tmp");
  expect(DRA_Init(10, 1e7, 1e8, 1e6), 0, "DRA_Init", 0);
  for (int t = 0; t < number_of_types; ++t)
    for (int ndim = 1; ndim <= 3; ++ndim) use(&types[t], ndim, dims[ndim - 1]);
  expect(DRA_Terminate(), 0, "DRA_Terminate", 0);
  remove_directory();
  return finish();
}
