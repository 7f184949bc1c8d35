// A simulated job: its nodes, agents and ranks.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/engine.hpp"
#include "simulation/engine/machine.hpp"
#include "simulation/engine/program.hpp"

namespace gondwana::simulation {

struct JobPlan {
  std::uint64_t seed = 0;      // only named in messages
  std::uint64_t schedule = 0;  // what the machine and the network draw
  Program program;
  // What each rank does; empty: its part of the program, of which otherwise only the nodes and
  // limits count.
  std::function<void(Machine&, Engine&)> body = {};
};

struct JobReport {
  Nanoseconds time = 0;  // virtual
  std::uint64_t steps = 0;
  std::uint64_t messages = 0;
  std::uint64_t history = 0;  // the same for the same plan
};

// Ends the process if the job fails.
JobReport run_job(const JobPlan& plan, bool is_told);

}  // namespace gondwana::simulation
