// What the programs of all doors do: read the tests, run them, say what came out.
#pragma once

#include "litmus/door.hpp"

namespace gondwana::litmus {

// The exit status of this rank: not 0 if an outcome was forbidden.
int run_program(Door& door, int argc, char** argv);

}  // namespace gondwana::litmus
