// The exchange of faces: before each step a rank needs the outermost cells of its neighbours.
#pragma once

#include "grid.h"

struct halo {
  double* inbox;   // symmetric: two sets of six faces, for even and odd steps
  long* arrived;   // symmetric: for each side, the last step whose face has arrived
  double* outbox;  // one face
  long capacity;   // elements of a face
};

// Called by all ranks. Returns 0 if memory is short.
int open_halo(struct halo* halo, const struct grid* grid);
void close_halo(struct halo* halo);

// Fills the foreign layer of `cells` from the neighbours. Called by all ranks with the same `step`,
// which counts 1, 2, 3 ...: a rank waits only for its neighbours. The layer at a wall is left
// unchanged.
void exchange_faces(struct halo* halo, const struct block* block, double* cells, long step);

// Makes the foreign layer at a wall equal to the adjacent cells, so that no heat flows.
void insulate(struct halo* halo, const struct block* block, double* cells, int side);
