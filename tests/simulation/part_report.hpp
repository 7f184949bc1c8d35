// How a simulated part of a job went.
#pragma once

#include <string>
#include <vector>

#include "simulation/schedule.hpp"

namespace gondwana::simulation {

struct PartReport {
  std::string wrong;             // empty: all was right
  Time time = 0;                 // virtual
  std::vector<std::string> log;  // events in words, if they were asked for
};

}  // namespace gondwana::simulation
