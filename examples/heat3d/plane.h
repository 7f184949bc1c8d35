// The plane halfway along y, of the whole cube.
#pragma once

#include "solver.h"

// Fetches it from the ranks that own it and draws it; for one rank, while the others wait. Says
// which file was written, or why not, and returns 0 then.
int draw_middle_plane(const struct solver* solver, const char* file);
