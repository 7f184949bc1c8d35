// Restricted Hartree-Fock for the water molecule in the STO-3G basis, on Global Arrays.
//
//   basis.c      the molecule and its basis functions
//   integrals.c  integrals over them; potential.c helps
//   matrix.c     small matrices, local to a process
//   fock.c       the Fock matrix in global arrays, by tasks that processes take from a counter
//
// The program compares its energy with the known one and returns 1 if they differ.
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "fock.h"

enum { most_iterations = 100 };

static const double convergence = 1e-10;  // hartree, between two iterations
static const double known_energy = -74.942079928192;
static const double tolerance = 1e-8;  // hartree

// Data that each process has separately.
struct calculation {
  struct arrays arrays;
  struct pair pairs[PAIRS];
  struct matrix orthogonalizer;  // the inverse square root of the overlap matrix
  double nuclear_repulsion;
  int iterations;
  long tasks;  // tasks of this process, in all iterations
  double energy;
  double change;  // change of the energy in the last iteration
};

static struct matrix overlap_matrix(const struct pair pairs[PAIRS]) {
  struct matrix matrix;
  for (int i = 0; i < PAIRS; ++i) {
    const struct pair* pair = &pairs[i];
    matrix.at[pair->first][pair->second] = overlap(pair);
    matrix.at[pair->second][pair->first] = matrix.at[pair->first][pair->second];
  }
  return matrix;
}

static struct matrix core_matrix(const struct molecule* molecule, const struct pair pairs[PAIRS]) {
  struct matrix matrix;
  for (int i = 0; i < PAIRS; ++i) {
    const struct pair* pair = &pairs[i];
    const double energy =
        kinetic_energy(&molecule->functions[pair->first], &molecule->functions[pair->second]) +
        nuclear_attraction(pair, molecule);
    matrix.at[pair->first][pair->second] = energy;
    matrix.at[pair->second][pair->first] = energy;
  }
  return matrix;
}

// The density of the orbitals with the lowest energies. `fock` is the same on all processes, so all
// find the same density.
static struct matrix density_of(const struct matrix* fock, const struct matrix* orthogonalizer) {
  const struct matrix half = product_of(fock, orthogonalizer);
  const struct matrix orthogonal = product_of(orthogonalizer, &half);
  const struct eigensystem system = diagonalize(&orthogonal);
  const struct matrix orbitals = product_of(orthogonalizer, &system.vectors);
  struct matrix density = {.at = {{0}}};
  for (int i = 0; i < FUNCTIONS; ++i) {
    for (int j = 0; j < FUNCTIONS; ++j) {
      for (int k = 0; k < OCCUPIED; ++k) {
        density.at[i][j] += orbitals.at[i][k] * orbitals.at[j][k];
      }
    }
  }
  return density;
}

static void start(struct calculation* calculation) {
  const struct molecule water = make_water();
  int count = 0;
  for (int i = 0; i < FUNCTIONS; ++i) {
    for (int j = 0; j <= i; ++j) calculation->pairs[count++] = make_pair(&water, i, j);
  }
  const struct matrix overlaps = overlap_matrix(calculation->pairs);
  calculation->orthogonalizer = inverse_square_root(&overlaps);
  calculation->nuclear_repulsion = nuclear_repulsion(&water);

  // The first density assumes that electrons do not repel each other.
  calculation->arrays = create_arrays();
  const struct matrix core = core_matrix(&water, calculation->pairs);
  const struct matrix density = density_of(&core, &calculation->orthogonalizer);
  store(calculation->arrays.core, &core);
  store(calculation->arrays.density, &density);
}

// The dot products are collective, so all processes see the same energy and stop together.
static void iterate(struct calculation* calculation) {
  const struct arrays* arrays = &calculation->arrays;
  calculation->tasks += build_fock(arrays, calculation->pairs);
  const double energy = calculation->nuclear_repulsion + GA_Ddot(arrays->density, arrays->core) +
                        GA_Ddot(arrays->density, arrays->fock);
  calculation->change = energy - calculation->energy;
  calculation->energy = energy;
  calculation->iterations += 1;

  const struct matrix fock = fetch(arrays->fock);
  const struct matrix density = density_of(&fock, &calculation->orthogonalizer);
  store(arrays->density, &density);
}

static int is_converged(const struct calculation* calculation) {
  return calculation->iterations > 1 && fabs(calculation->change) < convergence;
}

static void solve(struct calculation* calculation) {
  while (!is_converged(calculation) && calculation->iterations < most_iterations) {
    iterate(calculation);
    if (GA_Nodeid() != 0) continue;
    printf("scf: iteration %3d  energy %18.12f  change %9.2e\n", calculation->iterations,
           calculation->energy, calculation->change);
    fflush(stdout);
  }
}

// Prints the tasks of each process. Returns their sum.
static long report_tasks(const struct calculation* calculation) {
  const int processes = GA_Nnodes();
  long* tasks = calloc((size_t)processes, sizeof *tasks);
  if (tasks == NULL) {
    GA_Error("scf: no memory for one number per process", 1);
    return 0;  // not reached: GA_Error() ends the job
  }
  tasks[GA_Nodeid()] = calculation->tasks;
  GA_Lgop(tasks, processes, "+");
  long sum = 0;
  for (int i = 0; i < processes; ++i) {
    if (GA_Nodeid() == 0) printf("scf: process %d did %ld tasks\n", i, tasks[i]);
    sum += tasks[i];
  }
  free(tasks);
  return sum;
}

// All processes return the same status. Process 0 prints.
static int check(const struct calculation* calculation, long tasks) {
  const long expected = (long)calculation->iterations * PAIRS;
  const double error = calculation->energy - known_energy;
  const int is_right = tasks == expected && is_converged(calculation) && fabs(error) < tolerance;
  if (GA_Nodeid() != 0) return is_right ? 0 : 1;
  if (is_right) {
    printf("scf: energy %.12f, known %.12f: correct\n", calculation->energy, known_energy);
  } else if (tasks != expected) {
    fprintf(stderr, "scf: the processes did %ld tasks, but %d iterations have %ld\n", tasks,
            calculation->iterations, expected);
  } else if (!is_converged(calculation)) {
    fprintf(stderr, "scf: the energy still changes by %.2e hartree after %d iterations\n",
            calculation->change, calculation->iterations);
  } else {
    fprintf(stderr, "scf: the energy %.12f differs from the known %.12f by %.2e hartree\n",
            calculation->energy, known_energy, error);
  }
  return is_right ? 0 : 1;
}

static int run(void) {
  struct calculation calculation = {.iterations = 0};
  start(&calculation);
  if (GA_Nodeid() == 0) {
    printf("scf: water, STO-3G, processes: %d, tasks in an iteration: %d\n", GA_Nnodes(), PAIRS);
    printf("scf: nuclear repulsion %.12f\n", calculation.nuclear_repulsion);
  }
  solve(&calculation);
  const long tasks = report_tasks(&calculation);
  const int status = check(&calculation, tasks);
  destroy_arrays(&calculation.arrays);
  return status;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  // Elements of scratch memory for Global Arrays, on its stack and on its heap.
  if (!MA_init(C_DBL, 100000, 100000)) GA_Error("scf: no memory for 200000 numbers", 1);
  const int status = run();
  GA_Terminate();
  MPI_Finalize();
  return status;
}
