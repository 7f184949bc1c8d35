// Litmus tests (docs/memory_model.md) on a simulated job: OpenSHMEM's operations by its templates.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "litmus/test.hpp"
#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {

// The tests of the folder that can run here: those without contexts.
Result<std::vector<litmus::LitmusTest>> simulated_tests(const std::string& folder);
// Called by each rank. The job fails if an outcome is forbidden.
void run_litmus(Machine& machine, Engine& engine, const litmus::LitmusTest& test,
                std::uint64_t seed);

}  // namespace gondwana::simulation
