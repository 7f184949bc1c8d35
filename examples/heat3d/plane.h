// The plane halfway along y, of the whole cube.
#pragma once

#include "solver.h"

// Fetches the plane from the ranks that own it and draws it. Called by one rank while the others
// wait. Prints which file was written, or why not; returns 0 on failure.
int draw_middle_plane(const struct solver* solver, const char* file);
