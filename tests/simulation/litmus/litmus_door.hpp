// Litmus tests (docs/memory_model.md) on a simulated job: OpenSHMEM's operations by its templates.
#pragma once

#include <string>

#include "engine/engine.hpp"
#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {

// Runs one of the tests in the folder, which the seed draws; called by each rank. The job fails if
// an outcome is forbidden.
void run_litmus(Machine& machine, Engine& engine, const std::string& folder, std::uint64_t seed);

}  // namespace gondwana::simulation
