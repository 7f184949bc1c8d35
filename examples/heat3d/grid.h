// How the cells of the cube are distributed: every rank owns one block of a three-dimensional grid
// of blocks. Nothing here communicates; any rank can compute the block of any other.
#pragma once

enum { AXES = 3, SIDES = 2 * AXES };  // x, y, z; side 2 * axis looks down the axis, the next one up

struct grid {
  int size;          // cells along each edge of the cube
  int blocks[AXES];  // their product is the number of ranks
};

struct block {
  int first[AXES];  // its first cell, counted in the whole cube
  int cells[AXES];
  int neighbour[SIDES];  // a rank, or -1 at a wall
  // Distance in memory between neighbouring cells. A block is stored with a layer of foreign cells
  // around it, so its own cells are numbered from 1 to cells[axis].
  long stride[AXES];
};

// Chooses the blocks with the smallest surface, because that must be sent. With very many ranks an
// axis may have more blocks than `size`; grid_fits() checks this.
struct grid make_grid(int size, int ranks);
int grid_fits(const struct grid* grid);

struct block block_of(const struct grid* grid, int rank);

// The size that any rank needs at most: symmetric memory must be equally large everywhere.
long largest_block(const struct grid* grid);  // cells, with the foreign layer
long largest_face(const struct grid* grid);

static inline long cell_at(const struct block* block, int x, int y, int z) {
  return x * block->stride[0] + y * block->stride[1] + z * block->stride[2];
}
