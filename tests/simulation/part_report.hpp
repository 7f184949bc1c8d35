// How a simulated part of a job went.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "simulation/schedule.hpp"

namespace gondwana::simulation {

struct PartReport {
  std::string wrong;             // empty: all was right
  Time time = 0;                 // virtual
  std::vector<std::string> log;  // events in words, if they were asked for

  void note(Time now, const std::string& words) {
    const double seconds = static_cast<double>(now - Schedule::beginning) * 1e-9;
    log.push_back(fmt::format("{:9.4f} s  {}", seconds, words));
  }
};

}  // namespace gondwana::simulation
