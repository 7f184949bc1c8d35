#include "plane.h"

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture.h"

// Gets the part of the plane that `rank` owns, row by row. Its block lies at the same symmetric
// address as ours, in its own strides.
static void fetch_part(const struct solver* solver, int rank, double* values) {
  const int size = solver->grid.size;
  const struct block block = block_of(&solver->grid, rank);
  const int y = size / 2 - block.first[1] + 1;
  if (y < 1 || y > block.cells[1]) return;
  for (int z = 1; z <= block.cells[2]; ++z) {
    double* row = &values[(long)(block.first[2] + z - 1) * size + block.first[0]];
    shmem_get(row, &solver->now[cell_at(&block, 1, y, z)], (size_t)block.cells[0], rank);
  }
}

int draw_middle_plane(const struct solver* solver, const char* file) {
  const size_t size = (size_t)solver->grid.size;
  double* values = malloc(size * size * sizeof *values);
  const char* fault = "no memory for the plane";
  if (values != NULL) {
    for (int rank = 0; rank < shmem_n_pes(); ++rank) fetch_part(solver, rank, values);
    const struct plane plane = {solver->grid.size, values, coldest, hottest, 5, &solver->grid};
    fault = write_picture(file, &plane);
  }
  free(values);
  if (fault == NULL) {
    printf("heat3d: the plane in the middle is drawn in %s\n", file);
  } else {
    fprintf(stderr, "heat3d: cannot write %s: %s\n", file, fault);
  }
  return fault == NULL;
}
