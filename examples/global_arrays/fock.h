// The Fock matrix, built by all processes together in global arrays.
#pragma once

#include "integrals.h"
#include "matrix.h"

enum { PAIRS = FUNCTIONS * (FUNCTIONS + 1) / 2 };  // one task each

// Handles of global arrays.
struct arrays {
  int core;     // kinetic energy and nuclear attraction
  int fock;     // the core matrix plus the repulsion of the electrons
  int density;  // for electrons of one spin
  int counter;  // one long: the number of the next task
};

// All processes call these together, except fetch().
struct arrays create_arrays(void);
void destroy_arrays(const struct arrays* arrays);

// Copies the whole array into the caller's memory.
struct matrix fetch(int array);

// Writes the elements that each process owns. `matrix` is the same on all processes.
void store(int array, const struct matrix* matrix);

// Computes the Fock matrix from the density. Returns the number of tasks of this process.
int build_fock(const struct arrays* arrays, const struct pair pairs[PAIRS]);
