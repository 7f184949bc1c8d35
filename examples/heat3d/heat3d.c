// The stationary temperature in a cube, computed by all ranks together. Each rank owns a block of
// the cells and, before every step, puts the cells at its faces into the memory of its neighbours.
//
//   grid.c     which cells belong to which rank
//   halo.c     the exchange of faces: the only communication in a step
//   problem.c  what is hot, what is cold
//   solver.c   the arithmetic
//   plane.c    fetching a plane of cells from the ranks that own them
//   picture.c  drawing it; canvas.c and palette.c help
#include <math.h>
#include <shmem.h>
#include <stdio.h>
#include <unistd.h>

#include "../arguments.h"
#include "../clock.h"
#include "plane.h"
#include "solver.h"

enum { SIZE, TOLERANCE, STEPS, PICTURE, VERIFY, ARGUMENTS };

static struct argument arguments[ARGUMENTS] = {
    [SIZE] = {"--size", "cells along each edge of the cube", WHOLE_NUMBER, 2, 4096, 144, NULL},
    [TOLERANCE] = {"--tolerance", "stop at this residual, in degrees", REAL_NUMBER, 1e-12, 100,
                   1e-6, NULL},
    [STEPS] = {"--steps", "stop after that many steps in any case", WHOLE_NUMBER, 1, 1e9, 1e6,
               NULL},
    [PICTURE] = {"--picture", "draw the plane in the middle into this file (default heat3d.png)",
                 TEXT, 0, 0, 0, NULL},
    [VERIFY] = {"--verify", "compute a case with a known solution and compare", SWITCH, 0, 0, 0,
                NULL},
};

enum { steps_between_checks = 20 };

struct progress {
  double start;           // seconds
  double last_line;       // seconds
  double first_residual;  // 0 before the first check
  double rate;            // million cell updates a second
  int in_place;           // whether lines overwrite each other
};

// The residual falls by about the same factor in each step, so its logarithm measures the progress.
static double part_done(const struct progress* progress, double residual, double tolerance) {
  const double part =
      log(progress->first_residual / residual) / log(progress->first_residual / tolerance);
  return part > 0 ? fmin(part, 1) : 0;
}

static const char clear_line[] = "\r\033[K";

// Shorter than 80 columns: a terminal would wrap a longer line and could not overwrite it.
static void show(const struct progress* progress, long step, double residual, double part) {
  static const char bar[] = "########################";
  const int length = sizeof bar - 1;
  const int full = (int)(length * part);
  printf("%s[%.*s%*s] %3.0f %%  step %5ld  residual %.1e  %.0f million/s%s",
         progress->in_place ? clear_line : "", full, bar, length - full, "", 100 * part, step,
         residual, progress->rate, progress->in_place ? "" : "\n");
  fflush(stdout);
}

// At most two lines per second.
static void report(struct progress* progress, const struct solver* solver, double residual,
                   double tolerance) {
  const double now = seconds();
  const long steps = solver->step - 1;
  if (progress->first_residual == 0) progress->first_residual = residual;
  progress->rate =
      1e-6 * pow(solver->grid.size, AXES) * (double)steps / fmax(now - progress->start, 1e-9);
  if (now - progress->last_line < 0.5) return;
  progress->last_line = now;
  show(progress, steps, residual, part_done(progress, residual, tolerance));
}

// Returns the final residual. Rank 0 reports the progress.
static double solve(struct solver* solver, struct progress* progress) {
  const double tolerance = arguments[TOLERANCE].number;
  const long most = (long)arguments[STEPS].number;
  for (;;) {
    refresh(solver);
    const long done = solver->step - 1;
    if (done % steps_between_checks == 0 || done == most) {
      const double reached = residual(solver);
      if (shmem_my_pe() == 0) report(progress, solver, reached, tolerance);
      if (reached <= tolerance || done == most) return reached;
    }
    relax(solver);
  }
}

static void conclude(const struct progress* progress, const struct solver* solver,
                     double residual) {
  if (progress->in_place) printf("%s", clear_line);
  const double tolerance = arguments[TOLERANCE].number;
  printf("heat3d: %s after %ld steps: residual %.2e\n",
         residual <= tolerance ? "converged" : "stopped before convergence", solver->step - 1,
         residual);
  printf("heat3d: %.2f s, %.0f million cell updates a second\n", seconds() - progress->start,
         progress->rate);
}

static double square(double value) {
  return value * value;
}

// The error is at most the residual divided by what its slowest component loses in a step.
static int verify(const struct solver* solver, double residual) {
  const struct block* block = &solver->block;
  const int size = solver->grid.size;
  double squares = 0;
  for (int z = 1; z <= block->cells[2]; ++z) {
    for (int y = 1; y <= block->cells[1]; ++y) {
      for (int x = 1; x <= block->cells[0]; ++x) {
        const double exact =
            exact_temperature(size, block->first[0] + x, block->first[1] + y, block->first[2] + z);
        squares += square(solver->now[cell_at(block, x, y, z)] - exact);
      }
    }
  }
  const double error = sqrt(sum_over_ranks(squares) / pow(size, AXES));
  const double bound = 1e-11 + residual / (1 - solver->decay);
  if (shmem_my_pe() == 0) {
    printf("heat3d: differs from the exact solution by %.2e degrees, %.2e allowed: %s\n", error,
           bound, error <= bound ? "correct" : "WRONG");
  }
  return error <= bound;
}

// The known solution is not interesting to see: it is drawn only on request.
static const char* picture_file(void) {
  if (arguments[PICTURE].text != NULL) return arguments[PICTURE].text;
  return arguments[VERIFY].number != 0 ? NULL : "heat3d.png";
}

static int run(const struct grid* grid, const char* program) {
  const struct problem problem =
      arguments[VERIFY].number != 0 ? polynomial_block() : heated_block();
  struct solver solver;
  if (!open_solver(&solver, grid, &problem))
    refuse(program, "--size", "no room for that many cells");
  const double now = seconds();
  struct progress progress = {.start = now, .last_line = now, .in_place = isatty(STDOUT_FILENO)};
  const double reached = solve(&solver, &progress);
  if (shmem_my_pe() == 0) conclude(&progress, &solver, reached);

  int good = 1;
  if (arguments[VERIFY].number != 0) {
    good = verify(&solver, reached) && reached <= arguments[TOLERANCE].number;
  }
  shmem_barrier_all();  // no rank changes cells that rank 0 may fetch after this
  const char* picture = picture_file();
  if (picture != NULL && shmem_my_pe() == 0) good = draw_middle_plane(&solver, picture) && good;
  shmem_barrier_all();  // no rank frees them before this
  close_solver(&solver);
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  shmem_init();
  read_arguments("heat3d: stationary heat conduction in a cube", arguments, ARGUMENTS, argc, argv);
  const struct grid grid = make_grid((int)arguments[SIZE].number, shmem_n_pes());
  if (!grid_fits(&grid)) refuse(argv[0], "--size", "fewer cells than ranks along an edge");
  if (shmem_my_pe() == 0) {
    printf("heat3d: %d x %d x %d cells, ranks: %d as %d x %d x %d\n", grid.size, grid.size,
           grid.size, shmem_n_pes(), grid.blocks[0], grid.blocks[1], grid.blocks[2]);
    fflush(stdout);
  }
  const int status = run(&grid, argv[0]);
  shmem_finalize();
  return status;
}
