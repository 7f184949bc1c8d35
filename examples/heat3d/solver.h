// Stationary heat conduction: every cell ends up at the average of its six neighbours.
//
// Replacing each cell repeatedly by that average converges (Jacobi), but takes size^2 steps.
// Overshooting the average by a factor omega from a recurrence (Chebyshev acceleration) takes about
// size steps. It needs only the temperatures of the previous step, which are overwritten anyway.
#pragma once

#include "grid.h"
#include "halo.h"
#include "problem.h"

struct solver {
  struct grid grid;
  struct block block;
  struct problem problem;
  struct halo halo;
  double* now;     // symmetric: temperatures of this block with the foreign layer around it
  double* before;  // symmetric: the same, one step earlier
  float* mobile;   // 1 if the temperature may change, 0 if it is fixed
  double decay;
  double omega;
  long step;
};

// All ranks call these together. open_solver() returns 0 if memory is short.
int open_solver(struct solver* solver, const struct grid* grid, const struct problem* problem);
void close_solver(struct solver* solver);

// Fetches the neighbours' cells that the next two functions need.
void refresh(struct solver* solver);

// How far cells still are from the average of their neighbours: root mean square, in degrees.
double residual(const struct solver* solver);

// Performs one step.
void relax(struct solver* solver);

// Adds `value` over all ranks.
double sum_over_ranks(double value);
