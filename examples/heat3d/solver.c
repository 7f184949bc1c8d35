#include "solver.h"

#include <math.h>
#include <shmem.h>
#include <stdlib.h>

static void fill(struct solver* solver) {
  const struct block* block = &solver->block;
  for (int z = 0; z <= block->cells[2] + 1; ++z) {
    for (int y = 0; y <= block->cells[1] + 1; ++y) {
      for (int x = 0; x <= block->cells[0] + 1; ++x) {
        const struct cell cell = solver->problem.cell(solver->grid.size, block->first[0] + x,
                                                      block->first[1] + y, block->first[2] + z);
        const long at = cell_at(block, x, y, z);
        solver->now[at] = cell.temperature;
        solver->before[at] = cell.temperature;
        solver->mobile[at] = cell.held ? 0 : 1;
      }
    }
  }
}

int open_solver(struct solver* solver, const struct grid* grid, const struct problem* problem) {
  solver->grid = *grid;
  solver->block = block_of(grid, shmem_my_pe());
  solver->problem = *problem;
  solver->decay = slowest_decay(problem, grid->size);
  solver->omega = 1;
  solver->step = 0;
  const size_t cells = (size_t)largest_block(grid);
  const int halo_is_open = open_halo(&solver->halo, grid);
  solver->now = shmem_malloc(cells * sizeof *solver->now);
  solver->before = shmem_malloc(cells * sizeof *solver->before);
  solver->mobile = malloc(cells * sizeof *solver->mobile);
  if (!halo_is_open || solver->now == NULL || solver->before == NULL || solver->mobile == NULL) {
    return 0;
  }
  fill(solver);
  shmem_barrier_all();  // no rank sends into memory that is still being filled
  return 1;
}

void close_solver(struct solver* solver) {
  free(solver->mobile);
  shmem_free(solver->before);
  shmem_free(solver->now);
  close_halo(&solver->halo);
}

void refresh(struct solver* solver) {
  ++solver->step;
  exchange_faces(&solver->halo, &solver->block, solver->now, solver->step);
  for (int side = 0; side < SIDES; ++side) {
    if (solver->block.neighbour[side] < 0 && solver->problem.insulated[side / 2]) {
      insulate(&solver->halo, &solver->block, solver->now, side);
    }
  }
}

static double average_of_neighbours(const double* cell, const long stride[AXES]) {
  const double sum = (cell[-1] + cell[1]) + (cell[-stride[1]] + cell[stride[1]]) +
                     (cell[-stride[2]] + cell[stride[2]]);
  return sum * (1.0 / SIDES);  // a division would cost as much as everything else
}

double residual(const struct solver* solver) {
  const struct block* block = &solver->block;
  double squares = 0;
  for (int z = 1; z <= block->cells[2]; ++z) {
    for (int y = 1; y <= block->cells[1]; ++y) {
      const long row = cell_at(block, 0, y, z);
      for (long at = row + 1; at <= row + block->cells[0]; ++at) {
        const double off = average_of_neighbours(&solver->now[at], block->stride) - solver->now[at];
        squares += solver->mobile[at] * off * off;
      }
    }
  }
  return sqrt(sum_over_ranks(squares) / pow(solver->grid.size, AXES));
}

// The neighbours are read from `now`; the result replaces `before`.
static void relax_row(const double* restrict now, double* restrict before,
                      const float* restrict mobile, int cells, const long stride[AXES],
                      double omega) {
  for (int x = 0; x < cells; ++x) {
    const double average = average_of_neighbours(&now[x], stride);
    before[x] += omega * mobile[x] * (average - before[x]);
  }
}

void relax(struct solver* solver) {
  const struct block* block = &solver->block;
  for (int z = 1; z <= block->cells[2]; ++z) {
    for (int y = 1; y <= block->cells[1]; ++y) {
      const long row = cell_at(block, 1, y, z);
      relax_row(&solver->now[row], &solver->before[row], &solver->mobile[row], block->cells[0],
                block->stride, solver->omega);
    }
  }
  double* older = solver->now;
  solver->now = solver->before;
  solver->before = older;
  const double square = solver->decay * solver->decay;
  solver->omega = solver->step == 1 ? 1 / (1 - square / 2) : 1 / (1 - square * solver->omega / 4);
}

double sum_over_ranks(double value) {
  static double part, sum;  // symmetric, as they are static
  part = value;
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &part, 1);
  return sum;
}
