// Stationary heat conduction: every cell ends up at the average of its six neighbours.
//
// Replacing each cell by that average again and again gets there (Jacobi), but takes size^2 steps.
// Going further than the average by a factor omega that follows from a recurrence (Chebyshev's
// acceleration) takes about size steps, and costs nothing more than the temperatures of the step
// before, which are overwritten anyway.
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
  float* mobile;   // 1 where the temperature may change, 0 where it is held
  double decay;
  double omega;
  long step;
};

// All of these are called by all ranks together. open_solver() returns 0 where memory is short.
int open_solver(struct solver* solver, const struct grid* grid, const struct problem* problem);
void close_solver(struct solver* solver);

// Fetches what the next two need from the neighbours.
void refresh(struct solver* solver);

// How far cells still are from the average of their neighbours: root mean square, in degrees.
double residual(const struct solver* solver);

// One step.
void relax(struct solver* solver);

// Adds `value` over all ranks.
double sum_over_ranks(double value);
