// A simulated job: its nodes, agents and ranks.
#pragma once

#include <cstdint>

#include "simulation/engine/machine.hpp"

namespace gondwana::simulation {

struct JobReport {
  Nanoseconds time = 0;  // virtual
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  std::uint64_t history = 0;  // the same for the same seed
};

// Ends the process if the job fails.
JobReport run_job(std::uint64_t seed, bool is_told);

}  // namespace gondwana::simulation
