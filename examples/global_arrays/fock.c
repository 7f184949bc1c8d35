#include "fock.h"

#include <ga.h>
#include <macdecls.h>

static int create_matrix(char* name) {
  int sizes[2] = {FUNCTIONS, FUNCTIONS};
  const int array = NGA_Create(C_DBL, 2, sizes, name, NULL);
  if (array == 0) GA_Error("scf: cannot create a global array of 7 x 7 numbers", 1);
  return array;
}

static int create_counter(void) {
  int sizes[1] = {1};
  const int array = NGA_Create(C_LONG, 1, sizes, "counter", NULL);
  if (array == 0) GA_Error("scf: cannot create a global array of one number", 1);
  return array;
}

struct arrays create_arrays(void) {
  return (struct arrays){.core = create_matrix("core"),
                         .fock = create_matrix("fock"),
                         .density = create_matrix("density"),
                         .counter = create_counter()};
}

void destroy_arrays(const struct arrays* arrays) {
  GA_Destroy(arrays->counter);
  GA_Destroy(arrays->density);
  GA_Destroy(arrays->fock);
  GA_Destroy(arrays->core);
}

struct matrix fetch(int array) {
  struct matrix matrix;
  int low[2] = {0, 0};
  int high[2] = {FUNCTIONS - 1, FUNCTIONS - 1};  // bounds are inclusive
  int row_length[1] = {FUNCTIONS};
  NGA_Get(array, low, high, matrix.at, row_length);
  return matrix;
}

void store(int array, const struct matrix* matrix) {
  struct matrix copy = *matrix;  // the interface takes no pointer to const
  int low[2];
  int high[2];
  int row_length[1] = {FUNCTIONS};
  NGA_Distribution(array, GA_Nodeid(), low, high);
  // A process that owns nothing gets an empty range.
  if (low[0] <= high[0] && low[1] <= high[1]) {
    NGA_Put(array, low, high, &copy.at[low[0]][low[1]], row_length);
  }
  GA_Sync();
}

static void accumulate(int array, struct matrix* matrix) {
  int low[2] = {0, 0};
  int high[2] = {FUNCTIONS - 1, FUNCTIONS - 1};
  int row_length[1] = {FUNCTIONS};
  double factor = 1;
  NGA_Acc(array, low, high, matrix->at, row_length, &factor);
}

// An integral stands for up to eight equal ones: (ij|kl) = (ji|kl) = (ij|lk) = (kl|ij).
// Both arguments point into the same array, so equal pairs have equal addresses.
static int multiplicity(const struct pair* left, const struct pair* right) {
  return (left->first == left->second ? 1 : 2) * (right->first == right->second ? 1 : 2) *
         (left == right ? 1 : 2);
}

// Adds Coulomb and exchange terms of one integral. The sum over all integrals is not symmetric. Its
// symmetric part is the repulsion.
static void scatter(struct matrix* sum, const struct matrix* density, const struct pair* left,
                    const struct pair* right) {
  const int i = left->first;
  const int j = left->second;
  const int k = right->first;
  const int l = right->second;
  const double integral = multiplicity(left, right) * repulsion(left, right);
  const double quarter = integral / 4;
  sum->at[i][j] += integral * density->at[k][l];
  sum->at[k][l] += integral * density->at[i][j];
  sum->at[i][k] -= quarter * density->at[j][l];
  sum->at[j][l] -= quarter * density->at[i][k];
  sum->at[i][l] -= quarter * density->at[j][k];
  sum->at[j][k] -= quarter * density->at[i][l];
}

// A task is the row of integrals (ij|kl) of one pair ij, with all pairs kl up to ij.
static void run_task(int fock, const struct pair pairs[PAIRS], int task,
                     const struct matrix* density) {
  struct matrix sum = {.at = {{0}}};
  for (int other = 0; other <= task; ++other) {
    scatter(&sum, density, &pairs[task], &pairs[other]);
  }
  accumulate(fock, &sum);
}

// The longest row comes first, so that the last tasks to start are short.
static long next_task(int counter) {
  int first[1] = {0};
  return PAIRS - 1 - NGA_Read_inc(counter, first, 1);
}

int build_fock(const struct arrays* arrays, const struct pair pairs[PAIRS]) {
  GA_Copy(arrays->core, arrays->fock);
  GA_Zero(arrays->counter);
  GA_Sync();  // no process adds to the array or takes a number earlier
  const struct matrix density = fetch(arrays->density);
  int tasks = 0;
  for (long task = next_task(arrays->counter); task >= 0; task = next_task(arrays->counter)) {
    run_task(arrays->fock, pairs, (int)task, &density);
    ++tasks;
  }
  GA_Sync();  // all contributions have arrived
  GA_Symmetrize(arrays->fock);
  GA_Sync();
  return tasks;
}
