// The water molecule and its basis functions: STO-3G, three Gaussians for each function.
#pragma once

enum { AXES = 3, ATOMS = 3, FUNCTIONS = 7, PRIMITIVES = 3, OCCUPIED = 5 };

struct atom {
  double charge;
  double position[AXES];  // bohr
};

// A sum of Gaussians. Each is weight * x^power[0] * y^power[1] * z^power[2] * exp(-exponent * r^2),
// with x, y, z and r measured from the center. A power is 0 in an s function; one is 1 in a p
// function.
struct function {
  double center[AXES];
  int power[AXES];
  double exponent[PRIMITIVES];
  double weight[PRIMITIVES];
};

struct molecule {
  struct atom atoms[ATOMS];
  struct function functions[FUNCTIONS];
};

struct molecule make_water(void);

// The repulsion between the nuclei, in hartree.
double nuclear_repulsion(const struct molecule* molecule);
