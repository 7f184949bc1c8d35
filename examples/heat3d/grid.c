#include "grid.h"

// Area of the faces between blocks, in units of a face of the cube.
static int cuts(const int blocks[AXES]) {
  return blocks[0] + blocks[1] + blocks[2] - 3;
}

struct grid make_grid(int size, int ranks) {
  struct grid best = {size, {1, 1, ranks}};
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    for (int y = x; y <= ranks / x; ++y) {
      if (ranks / x % y != 0) continue;
      // Rows along x become the longest, and processors work best on long rows.
      const int blocks[AXES] = {x, y, ranks / x / y};
      if (blocks[2] >= y && cuts(blocks) < cuts(best.blocks)) {
        for (int axis = 0; axis < AXES; ++axis) best.blocks[axis] = blocks[axis];
      }
    }
  }
  return best;
}

int grid_fits(const struct grid* grid) {
  for (int axis = 0; axis < AXES; ++axis) {
    if (grid->blocks[axis] > grid->size) return 0;
  }
  return 1;
}

// Distributes the cells as evenly as possible.
static int first_cell(const struct grid* grid, int axis, int place) {
  return (int)((long)grid->size * place / grid->blocks[axis]);
}

struct block block_of(const struct grid* grid, int rank) {
  struct block block;
  long stride = 1;  // in cells
  int step = 1;     // in ranks
  for (int axis = 0; axis < AXES; ++axis) {
    const int place = rank / step % grid->blocks[axis];
    block.first[axis] = first_cell(grid, axis, place);
    block.cells[axis] = first_cell(grid, axis, place + 1) - block.first[axis];
    block.neighbour[2L * axis] = place > 0 ? rank - step : -1;
    block.neighbour[2 * axis + 1] = place + 1 < grid->blocks[axis] ? rank + step : -1;
    block.stride[axis] = stride;
    stride *= block.cells[axis] + 2;
    step *= grid->blocks[axis];
  }
  return block;
}

static long most_cells(const struct grid* grid, int axis) {
  return (grid->size + grid->blocks[axis] - 1) / grid->blocks[axis];
}

long largest_block(const struct grid* grid) {
  return (most_cells(grid, 0) + 2) * (most_cells(grid, 1) + 2) * (most_cells(grid, 2) + 2);
}

long largest_face(const struct grid* grid) {
  const long x = most_cells(grid, 0);
  const long y = most_cells(grid, 1);
  const long z = most_cells(grid, 2);
  const long largest = x * y > x * z ? x * y : x * z;
  return largest > y * z ? largest : y * z;
}
