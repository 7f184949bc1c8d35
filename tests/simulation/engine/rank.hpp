// A rank of a simulated job: runs its part of the program through the doors, and compares what it
// finds with what the program expects.
#pragma once

#include "engine/engine.hpp"
#include "simulation/engine/machine.hpp"
#include "simulation/engine/program.hpp"

namespace gondwana::simulation {

void run_rank(Machine& machine, const Program& program, Engine& engine);

}  // namespace gondwana::simulation
